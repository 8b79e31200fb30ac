"""Trainings that differ in how gradients are computed."""

from __future__ import annotations

import random
from typing import Any

import torch
from small_training import STEPS, adamw, mlp, state_of, train_with
from torch import Tensor, nn
from torch.func import functional_call, grad, hessian, jacrev, jvp, vmap
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from watching import Watch


def checkpoints(watch: Watch) -> object:
    return train_with(watch, forward=lambda m, x: m[3:](checkpoint(m[:3], x, use_reentrant=False)))


def reentrant_checkpoints(watch: Watch) -> object:
    return train_with(
        watch, forward=lambda m, x: m[3:](checkpoint(m[:3], x.requires_grad_(), use_reentrant=True))
    )


def checkpoints_of_parts(watch: Watch) -> object:
    return train_with(watch, forward=lambda m, x: checkpoint_sequential(m, 2, x, use_reentrant=False))


def saved_tensors_that_are_packed(watch: Watch) -> object:
    packed = []

    def pack(tensor: Tensor) -> Tensor:
        packed.append(tuple(tensor.shape))
        return tensor.clone()

    def forward(model: nn.Module, inputs: Tensor) -> Any:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            return model(inputs)

    return train_with(watch, forward=forward), packed


def saved_on_host(watch: Watch) -> object:
    def forward(model: nn.Module, inputs: Tensor) -> Any:
        with torch.autograd.graph.save_on_cpu():
            return model(inputs)

    return train_with(watch, forward=forward)


def double_backward(watch: Watch) -> object:
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            inputs = torch.randn(4, 8, requires_grad=True)
            (slope,) = torch.autograd.grad(model(inputs).sum(), inputs, create_graph=True)
            optimizer.zero_grad()
            loss = (slope.norm(dim=1) - 1).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(model, optimizer)


class Clipped(torch.autograd.Function):
    """Draws random numbers in its backward."""

    generate_vmap_rule = True

    @staticmethod
    def forward(values: Tensor) -> Tensor:
        return values.clamp(min=0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:  # noqa: ARG004
        ctx.save_for_backward(*inputs)

    @staticmethod
    def factor() -> float:
        return random.random()

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> Tensor:
        (values,) = ctx.saved_tensors
        return slope * (values > 0) * Clipped.factor()


def own_function(watch: Watch) -> object:
    return train_with(watch, forward=lambda m, x: Clipped.apply(m(x)))


def transforms(watch: Watch) -> object:
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
    weights = {name: value.detach() for name, value in model.named_parameters()}

    def loss(weights: dict[str, Tensor], inputs: Tensor) -> Tensor:
        return functional_call(model, weights, (inputs,)).pow(2).mean()

    found = []
    with watch() as hook:
        for _ in range(STEPS):
            inputs = torch.randn(5, 8)
            slopes = vmap(grad(loss), in_dims=(None, 0))(weights, inputs)
            weights = {name: value - 0.01 * slopes[name].mean(0) for name, value in weights.items()}
            curved = hessian(lambda bias, w=weights, i=inputs: loss({**w, "2.bias": bias}, i))(
                weights["2.bias"]
            )
            drawn = vmap(lambda x: x + torch.randn_like(x), randomness="different")(inputs)
            clipped = jacrev(Clipped.apply)(inputs[0])
            found.append((jvp(lambda x, w=weights: loss(w, x), (inputs,), (drawn,)), curved, drawn, clipped))
            hook.step()
    return found, weights


def step_within_transform(watch: Watch) -> object:
    values = []
    with watch() as hook:

        def loss(inputs: Tensor) -> Tensor:
            hook.step()
            return inputs.sin().sum()

        for _ in range(STEPS):
            values.append(grad(loss)(torch.randn(3)))
            values.append(vmap(loss)(torch.randn(2, 3)))
    return values


def forward_mode(watch: Watch) -> object:
    model = mlp().eval()
    found = []
    with watch() as hook, torch.autograd.forward_ad.dual_level():
        for _ in range(STEPS):
            dual = torch.autograd.forward_ad.make_dual(torch.randn(6, 8), torch.randn(6, 8))
            found.append(torch.autograd.forward_ad.unpack_dual(model(dual)))
            hook.step()
    return found


def anomalies_that_are_looked_for(watch: Watch) -> object:
    with torch.autograd.set_detect_anomaly(True):
        return train_with(watch)


def hooks_of_tensors(watch: Watch) -> object:
    seen = []

    def forward(model: nn.Module, inputs: Tensor) -> Any:
        outputs = model(inputs)
        outputs.register_hook(lambda slope: seen.append(slope.sum().item()) or slope * 2)
        outputs.grad_fn.register_prehook(lambda slopes: seen.append(len(slopes)))
        return outputs

    return train_with(watch, forward=forward), seen


def gradients_that_are_checked(watch: Watch) -> object:
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            inputs = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
            found.append(torch.autograd.gradcheck(lambda x: (x @ x).tanh(), (inputs,)))
            hook.step()
    return found


def backward_on_another_thread(watch: Watch) -> object:
    import threading

    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(torch.randn(6, 8)).pow(2).mean()
            thread = threading.Thread(target=loss.backward)
            thread.start()
            thread.join()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(model, optimizer)
