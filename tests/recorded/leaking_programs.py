"""Twenty trainings that keep memory in each step, with what a fixed twin does instead.

A program is a function that makes its model and returns a step, which takes the number of the step. What is
kept is allocated in the function, operator or module that `PROGRAMS` names; a twin is the same program with
`leaks=False`.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

Step = Callable[[int], None]
WIDTH = 64
BATCH = 128


@dataclass(frozen=True, slots=True)
class Program:
    make: Callable[[bool], Step]
    function: str
    """In which what is kept is allocated, as a recording with stacks says it."""
    operator: str
    """The outermost one; without stacks."""


def trained(model: nn.Module) -> Callable[[Tensor], None]:
    """A step of the optimizer after a backward pass."""
    optimizer = torch.optim.Adam(model.parameters())

    def learn(loss: Tensor) -> None:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return learn


def batch() -> Tensor:
    return torch.randn(BATCH, WIDTH)


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))


def collected_outputs(leaks: bool) -> Step:
    model, kept = mlp(), []
    learn = trained(model)

    def predict(x: Tensor) -> Tensor:
        return torch.nn.functional.softmax(model(x), 1)

    def step(_: int) -> None:
        out = predict(batch())
        learn(out.square().mean())
        kept.append(out.detach() if leaks else out.mean().item())

    return step


def losses_with_graphs(leaks: bool) -> Step:
    """Validation without `no_grad`: each loss keeps the activations of its forward pass."""
    model, losses = mlp(), []

    def evaluate(x: Tensor) -> Tensor:
        return model(x).square().mean()

    def step(_: int) -> None:
        loss = evaluate(batch())
        losses.append(loss if leaks else loss.item())

    return step


def summed_losses(leaks: bool) -> Step:
    model = mlp()
    total = torch.zeros(())

    def evaluate(x: Tensor) -> Tensor:
        return model(x).square().mean()

    def step(_: int) -> None:
        nonlocal total
        loss = evaluate(batch())
        total = total + (loss if leaks else loss.detach())

    return step


def hidden_state(leaks: bool) -> Step:
    """A state that is carried along with all of its past."""
    cell = nn.GRUCell(WIDTH, WIDTH)
    state = torch.zeros(BATCH, WIDTH)

    def advance(x: Tensor, state: Tensor) -> Tensor:
        return cell(x, state)

    def step(_: int) -> None:
        nonlocal state
        state = advance(batch(), state if leaks else state.detach())

    return step


def concatenated(leaks: bool) -> Step:
    model = mlp()
    learn = trained(model)
    history = torch.zeros(BATCH, WIDTH)

    def gather(history: Tensor, out: Tensor) -> Tensor:
        return torch.cat([history, out])

    def step(_: int) -> None:
        nonlocal history
        out = model(batch())
        learn(out.square().mean())
        gathered = gather(history, out.detach())
        history = gathered if leaks else gathered[-BATCH:].clone()

    return step


def forward_hooks(leaks: bool) -> Step:
    model, seen = mlp(), []
    learn = trained(model)

    def look(_module: nn.Module, _inputs: object, output: Tensor) -> None:
        copied = output.detach().clone()
        if not leaks:
            seen.clear()
        seen.append(copied)

    model[0].register_forward_hook(look)

    def step(_: int) -> None:
        learn(model(batch()).square().mean())

    return step


@dataclass(frozen=True, slots=True)
class Keeping:
    """A hook that does nothing but hold a tensor."""

    held: Tensor

    def __call__(self, *_: object) -> None:
        pass


def hooks_again(leaks: bool) -> Step:
    """A hook is registered in each step, and each keeps its own copy."""
    model = mlp()
    learn = trained(model)

    def weigh(x: Tensor) -> Tensor:
        return x * 0.5

    def step(_: int) -> None:
        mask = weigh(batch())
        handle = model[0].register_forward_hook(Keeping(mask))
        learn(model(batch()).square().mean())
        if not leaks:
            handle.remove()

    return step


def cache_by_step(leaks: bool) -> Step:
    model, cache = mlp(), {}
    learn = trained(model)

    def positions() -> Tensor:
        return torch.arange(BATCH * WIDTH, dtype=torch.float32).view(BATCH, WIDTH)

    def step(number: int) -> None:
        key = number if leaks else 0
        if key not in cache:
            cache[key] = positions()
        learn((model(batch()) + cache[key]).square().mean())

    return step


def gradients_kept(leaks: bool) -> Step:
    model, norms = mlp(), []
    learn = trained(model)

    def copied(parameter: Tensor) -> Tensor:
        return parameter.grad.clone()

    def step(_: int) -> None:
        learn(model(batch()).square().mean())
        gradient = copied(model[0].weight)
        norms.append(gradient if leaks else gradient.norm().item())

    return step


def snapshots_of_weights(leaks: bool) -> Step:
    model, best = mlp(), []
    learn = trained(model)

    def snapshot() -> dict[str, Tensor]:
        copies = {}
        for name, value in model.state_dict().items():
            copies[name] = value.clone()
        return copies

    def step(_: int) -> None:
        learn(model(batch()).square().mean())
        if not leaks:
            best.clear()
        best.append(snapshot())

    return step


def inputs_kept(leaks: bool) -> Step:
    model, worst = mlp(), collections.deque(maxlen=None if leaks else 1)
    learn = trained(model)

    def load() -> Tensor:
        return torch.rand(BATCH, WIDTH)

    def step(_: int) -> None:
        x = load()
        learn(model(x).square().mean())
        worst.append(x)

    return step


def replay_buffer(leaks: bool) -> Step:
    """A deque that is full gives back what it takes."""
    model, buffer = mlp(), collections.deque(maxlen=None if leaks else 3)
    learn = trained(model)

    def observe(x: Tensor) -> Tensor:
        return torch.tanh(x)

    def step(_: int) -> None:
        buffer.append(observe(batch()))
        learn(model(buffer[0]).square().mean())

    return step


def attention_maps(leaks: bool) -> Step:
    model, maps = nn.MultiheadAttention(WIDTH, 4, batch_first=True), []
    learn = trained(model)

    def attend(x: Tensor) -> tuple[Tensor, Tensor]:
        out, weights = model(x, x, x)
        return out, weights.mul(1.0)

    def step(_: int) -> None:
        out, weights = attend(torch.randn(4, 32, WIDTH))
        learn(out.square().mean())
        maps.append(weights.detach() if leaks else weights.mean().item())

    return step


def convolution_features(leaks: bool) -> Step:
    model, features = nn.Conv2d(3, 8, 3), []
    learn = trained(model)

    def extract(x: Tensor) -> Tensor:
        return model(x)

    def step(_: int) -> None:
        out = extract(torch.randn(8, 3, 32, 32))
        learn(out.square().mean())
        features.append(out.detach() if leaks else out.shape)

    return step


def embedding_outputs(leaks: bool) -> Step:
    model, words = nn.Embedding(100, WIDTH), []
    learn = trained(model)

    def look_up(index: Tensor) -> Tensor:
        return model(index)

    def step(_: int) -> None:
        out = look_up(torch.randint(0, 100, (BATCH,)))
        learn(out.square().mean())
        if not leaks:
            words.clear()
        words.append(out.detach())

    return step


def retained_graph(leaks: bool) -> Step:
    """`retain_graph=True` keeps the activations of each loss that somebody keeps."""
    model, losses = mlp(), []

    def forward(x: Tensor) -> Tensor:
        return model(x).square().mean()

    def step(_: int) -> None:
        loss = forward(batch())
        loss.backward(retain_graph=leaks)
        model.zero_grad()
        losses.append(loss if leaks else loss.detach())

    return step


def own_function(leaks: bool) -> Step:
    """A `Function` that keeps its input on the class, not with `save_for_backward`."""
    model, kept = mlp(), []
    learn = trained(model)

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(_ctx: object, x: Tensor) -> Tensor:
            out = x * 2
            if leaks:
                kept.append(out.detach())
            return out

        @staticmethod
        def backward(_ctx: object, gradient: Tensor) -> Tensor:
            return gradient * 2

    def step(_: int) -> None:
        learn(Doubled.apply(model(batch())).square().mean())

    return step


def checkpointed(leaks: bool) -> Step:
    model, kept = mlp(), []
    learn = trained(model)

    def block(x: Tensor) -> Tensor:
        return torch.relu(model(x))

    def step(_: int) -> None:
        out = checkpoint(block, batch(), use_reentrant=False)
        learn(out.square().mean())
        kept.append(out.detach() if leaks else None)

    return step


def metric_state(leaks: bool) -> Step:
    """A metric that keeps every prediction until somebody asks for it."""
    model, predictions, confusion = mlp(), [], torch.zeros(WIDTH)
    learn = trained(model)

    def update(out: Tensor) -> None:
        chosen = torch.sigmoid(out)
        if leaks:
            predictions.append(chosen)
        else:
            confusion.add_(chosen.sum(0))

    def step(_: int) -> None:
        out = model(batch())
        learn(out.square().mean())
        update(out.detach())

    return step


def ring_of_references(leaks: bool) -> Step:
    """Objects that hold each other are given back by the collector alone, which never comes."""
    model = mlp()
    learn = trained(model)

    class Node:
        def __init__(self, held: Tensor) -> None:
            self.held = held
            self.other: Node | None = self if leaks else None

    def noise() -> Tensor:
        return torch.randn(BATCH, WIDTH) * 0.1

    def step(_: int) -> None:
        node = Node(noise())
        learn(model(node.held).square().mean())

    return step


PROGRAMS = (
    Program(collected_outputs, "predict", "aten::softmax"),
    Program(losses_with_graphs, "evaluate", "aten::linear"),
    Program(summed_losses, "evaluate", "aten::linear"),
    Program(hidden_state, "advance", "aten::gru_cell"),
    Program(concatenated, "gather", "aten::cat"),
    Program(forward_hooks, "look", "aten::clone"),
    Program(hooks_again, "weigh", "aten::mul"),
    Program(cache_by_step, "positions", "aten::arange"),
    Program(gradients_kept, "copied", "aten::clone"),
    Program(snapshots_of_weights, "snapshot", "aten::clone"),
    Program(inputs_kept, "load", "aten::rand"),
    Program(replay_buffer, "observe", "aten::tanh"),
    Program(attention_maps, "attend", "aten::mul"),
    Program(convolution_features, "extract", "aten::conv2d"),
    Program(embedding_outputs, "look_up", "aten::embedding"),
    Program(retained_graph, "forward", "aten::linear"),
    Program(own_function, "forward", "Doubled"),
    Program(checkpointed, "block", "aten::relu"),
    Program(metric_state, "update", "aten::sigmoid"),
    Program(ring_of_references, "noise", "aten::mul"),
)
