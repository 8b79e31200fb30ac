"""What holds the tensors that Python knows: the graph, or the program alone."""

from __future__ import annotations

import gc

import torch

from tbprof.hook.memory.live_tensors import held_tensors

CPU = torch.device("cpu")
ROWS, WIDTH = 1000, 50
ACTIVATION = ROWS * WIDTH * 4


def saved_and_others() -> tuple[int, int]:
    gc.collect()
    held = held_tensors(CPU)
    assert held.is_whole
    return held.saved_bytes, held.other_bytes


def test_what_the_backward_pass_needs_is_saved_and_what_a_list_keeps_is_not() -> None:
    layers = torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh()) * 3)
    saved, others = saved_and_others()

    result = layers(torch.ones(ROWS, WIDTH)).sum()
    kept = [torch.ones(ROWS, WIDTH) for _ in range(2)]
    views = [torch.ones(ROWS, WIDTH).requires_grad_().detach().view(-1)]

    # The input of each linear layer. Of the last tanh's result autograd has a copy that Python never knew.
    assert saved_and_others() == (saved + 3 * ACTIVATION, others + 3 * ACTIVATION + 4)
    result.backward()
    assert saved_and_others() == (saved, others + 3 * ACTIVATION + 4)
    del kept, views, result
    assert saved_and_others() == (saved, others)


def test_a_result_that_keeps_its_graph_keeps_what_was_saved() -> None:
    layer = torch.nn.Linear(WIDTH, WIDTH)
    saved, others = saved_and_others()
    losses = [layer(torch.ones(ROWS, WIDTH)).tanh().mean() for _ in range(3)]
    found = saved_and_others()
    assert found == (saved + 3 * ACTIVATION, others + 3 * 4)
    del losses
    assert saved_and_others() == (saved, others)


def test_plain_tensors_that_an_optimizer_steps_are_parameters() -> None:
    before = held_tensors(CPU)
    weight = torch.ones(ROWS, WIDTH, requires_grad=True)
    optimizer = torch.optim.SGD([weight], momentum=0.9)
    (2 * weight).sum().backward()
    optimizer.step()

    held = held_tensors(CPU)
    sizes = (held.parameters_bytes, held.gradients_bytes, held.optimizer_bytes)
    assert sizes == tuple(
        size + ACTIVATION
        for size in (before.parameters_bytes, before.gradients_bytes, before.optimizer_bytes)
    )
