"""Trainings that have instruments of their own, of torch's or of Python's."""

from __future__ import annotations

import queue
import sys
import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import torch
from small_training import STEPS, adamw, call, mlp, state_of, train, train_with
from torch import Tensor, nn
from torch.autograd.graph import Node, get_gradient_edge, register_multi_grad_hook, save_on_cpu
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.flop_counter import FlopCounterMode
from torch.utils.module_tracker import ModuleTracker
from watching import Watch


def counted_flops(watch: Watch) -> object:
    """Of the training's own operators, without one of the hook's."""
    counted: list[object] = []

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        counter = FlopCounterMode(display=False)
        with counter:
            outputs = call(model, inputs)
            torch.autograd.grad(outputs.sum(), tuple(model.parameters()))
        counted.append(
            (counter.get_total_flops(), {k: dict(v) for k, v in counter.get_flop_counts().items()})
        )
        return call(model, inputs)

    return train_with(watch, forward=forward), counted


def modules_that_are_tracked(watch: Watch) -> object:
    seen: Counter[str] = Counter()

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        tracker = ModuleTracker()
        handles = [
            module.register_forward_hook(lambda *_: seen.update(sorted(tracker.parents)))
            for module in model.modules()
        ]
        with tracker:
            outputs = call(model, inputs)
            torch.autograd.grad(outputs.sum(), tuple(model.parameters()))
        for handle in handles:
            handle.remove()
        return call(model, inputs)

    return train_with(watch, forward=forward), dict(seen)


def graph_that_is_looked_at(watch: Watch) -> object:
    """Names and number of its nodes, hooks of nodes, of edges and of several gradients."""
    found: list[object] = []

    def nodes_of(node: Node | None, seen: dict[Node, None]) -> None:
        if node is not None and node not in seen:
            seen[node] = None
            for after, _ in node.next_functions:
                nodes_of(after, seen)

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        with save_on_cpu():
            outputs = call(model, inputs)
        nodes: dict[Node, None] = {}
        nodes_of(outputs.grad_fn, nodes)
        found.append([node.name() for node in nodes])
        assert outputs.grad_fn is not None
        outputs.grad_fn.register_prehook(lambda given: found.append([g.norm() for g in given]))
        found.append(get_gradient_edge(outputs).output_nr)
        weights = tuple(model.parameters())
        register_multi_grad_hook(weights, lambda given: found.append([g is None for g in given]))
        return outputs

    return train_with(watch, forward=forward), found


class Scaled(torch.autograd.Function):
    """Saves, materializes and hooks what it is given."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(inputs, scale)
        ctx.mark_non_differentiable(inputs)
        return inputs * scale, inputs

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, other: Tensor | None) -> Any:
        inputs, scale = ctx.saved_tensors
        assert other is None
        return (None, None) if grad is None else (grad * scale, (grad * inputs).sum().reshape(1))


def own_function_with_hooks(watch: Watch) -> object:
    scale, seen = nn.Parameter(torch.ones(1)), []

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        outputs, same = Scaled.apply(call(model, inputs), scale)
        outputs.register_hook(lambda given: given * 2)
        outputs.grad_fn.register_hook(lambda out, given: seen.append((len(out), len(given))))
        return outputs + 0 * same

    return train_with(watch, forward=forward), scale.grad, seen


_LIBRARY: list[Any] = []


def own_operators(watch: Watch) -> object:
    """One with a kernel, a shape and a gradient of its own, in Python."""
    if not _LIBRARY:

        @torch.library.custom_op("tbprof_tests::halved", mutates_args=())
        def halved(inputs: Tensor) -> Tensor:
            return inputs / 2

        halved.register_fake(torch.empty_like)
        halved.register_autograd(lambda _, given: given / 2)
        _LIBRARY.append(halved)

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        return _LIBRARY[0](call(model, inputs)) + torch.ops.tbprof_tests.halved(inputs[:, :4])

    return train_with(watch, forward=forward)


def profilers_that_come_and_go(watch: Watch) -> object:
    """One in a few of the steps, which the hook gives way to, and one with a schedule around them all."""
    model = mlp()
    optimizer = adamw(model.parameters())
    found = []
    with warnings.catch_warnings(), watch() as hook:
        warnings.simplefilter("ignore")
        for number in range(STEPS):
            if number % 6 == 0:
                with profile(activities=[ProfilerActivity.CPU]) as profiler:
                    loss = train(_Nobody(), model, optimizer, steps=1)
                names = Counter(event.name for event in profiler.events())
                found.append((loss, names["aten::addmm"], names["Optimizer.step#AdamW.step"]))
            else:
                found.append((train(_Nobody(), model, optimizer, steps=1), 0, 0))
            hook.step()
    return found, state_of(model, optimizer)


def profiler_with_a_schedule(watch: Watch) -> object:
    recorded: list[object] = []

    def take(profiler: profile) -> None:
        names = Counter(event.name for event in profiler.events())
        recorded.append((names["aten::addmm"], [n for n in names if n.startswith("ProfilerStep#")]))

    model = mlp()
    optimizer = adamw(model.parameters())
    with (
        profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=1, warmup=1, active=2, repeat=3),
            on_trace_ready=take,
        ) as profiler,
        watch() as hook,
    ):
        losses = []
        for _ in range(STEPS):
            losses += train(_Nobody(), model, optimizer, steps=1)
            hook.step()
            profiler.step()
    return losses, recorded, state_of(model, optimizer)


class _Nobody:
    def step(self) -> None:
        """Leave that to the loop."""


def lines_traced_in_some_steps(watch: Watch) -> object:
    """A tracer and a profiler of Python that come and go, as a debugger's and a coverage tool's do."""
    own = str(Path(__file__))
    lines: Counter[str] = Counter()
    calls: Counter[str] = Counter()

    def trace(frame: Any, event: str, _: object) -> Any:
        if frame.f_code.co_filename != own:
            return None
        lines[f"{event} {frame.f_code.co_name}"] += 1
        return trace

    def note(frame: Any, event: str, value: Any) -> None:
        if frame.f_code.co_filename == own and event != "c_call":
            calls[f"{event} {frame.f_code.co_name}"] += 1
        elif event == "c_call" and frame.f_code.co_filename == own:
            calls[f"C {getattr(value, '__name__', '')}"] += 1

    def steps(hook: Any, model: nn.Module, optimizer: torch.optim.Optimizer) -> list[float]:
        losses = []
        for number in range(STEPS):
            if number % 3 == 0:
                sys.settrace(trace)
            if number % 4 == 1:
                sys.setprofile(note)
            losses.append(_one_step(model, optimizer))
            sys.settrace(None)
            sys.setprofile(None)
            hook.step()
        return losses

    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        losses = steps(hook, model, optimizer)
    calls.pop("C settrace", None)
    return losses, dict(lines), dict(calls), state_of(model, optimizer)


def _one_step(model: nn.Module, optimizer: torch.optim.Optimizer) -> float:
    optimizer.zero_grad()
    loss = model(torch.randn(6, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
    return float(loss)


def two_models_on_two_threads(watch: Watch) -> object:
    """Each thread has its model and its random numbers; one of them has the hook."""
    turn = threading.Barrier(2)
    results: dict[int, object] = {}

    def work(number: int, hook: Any) -> None:
        generator = torch.Generator().manual_seed(number)
        model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
        for weight in model.parameters():
            nn.init.normal_(weight, generator=generator)
        optimizer = adamw(model.parameters())
        losses = []
        for _ in range(STEPS):
            turn.wait()
            optimizer.zero_grad()
            loss = model(torch.randn(6, 8, generator=generator)).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if number == 0:
                hook.step()
        results[number] = losses, list(model.parameters())

    with watch() as hook:
        other = threading.Thread(target=work, args=(1, hook))
        other.start()
        work(0, hook)
        other.join()
    return results[0], results[1]


def data_from_another_thread(watch: Watch) -> object:
    """Batches are made on a thread while steps are taken, which wait for them."""
    batches: queue.Queue[Tensor | None] = queue.Queue(2)

    def make() -> None:
        generator = torch.Generator().manual_seed(3)
        for _ in range(STEPS):
            batches.put(torch.stack([torch.randn(8, generator=generator) for _ in range(6)]))
        batches.put(None)

    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    with watch() as hook:
        while (batch := batches.get()) is not None:
            optimizer.zero_grad()
            loss = model(batch).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    thread.join()
    return losses, state_of(model, optimizer)
