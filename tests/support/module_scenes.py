"""A training whose modules, and what they cost forward and backward, are known."""

from __future__ import annotations

from collections.abc import Sequence

from operator_scenes import facts_of
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_table import ModuleRow, ModuleTable, module_table

BACKWARD = 200
"""autograd's thread."""
STEP = 1000


def autograd_op(
    built: TraceBuilder, name: str, start: float, end: float, number: int, *, backward: bool = False
) -> None:
    built.op(name, start, end, thread=BACKWARD if backward else MAIN)
    built.events[-1]["args"] |= {"Sequence number": number, "Fwd thread id": int(backward)}


def work(built: TraceBuilder, at: float, us: float, *, name: str = "kernel", backward: bool = False) -> None:
    """A launch of 1 us, and a kernel of so many right behind it."""
    built.launch(at, at + 1, runs=(at + 1, at + 1 + us), name=name, thread=BACKWARD if backward else MAIN)


def module(built: TraceBuilder, name: str, start: float, end: float, *, marked: bool = False) -> None:
    """As the Python profiler names it, or as the hook marks it: `Block_3`, or `Net.layers.3 (Block)`."""
    (built.annotation if marked else built.frame)(f"nn.Module: {name}", start, end)


def training(
    steps: int = 1, layers: Sequence[float] = (10, 10, 30, 10), *, marked: bool = False
) -> TraceBuilder:
    """Each layer's kernel takes so long forward and twice as long backward, and 1 us for its gradient.

    A batch is copied for 3 us, the loss takes 5 us, its backward pass 6, the optimizer 7.
    """
    built = TraceBuilder()
    for step in range(steps):
        start = STEP * step
        built.step(step, start, start + 990)
        work(built, start + 2, 3, name="batch")
        names = [f"Net.layers.{at} (Block)" if marked else f"Block_{at}" for at in range(len(layers))]
        module(
            built,
            "Net (Net)" if marked else "Net_0",
            start + 10,
            start + 20 + 50 * len(layers),
            marked=marked,
        )
        for at, (name, us) in enumerate(zip(names, layers, strict=True)):
            begin, inner = start + 15 + 50 * at, f"Net.layers.{at}.up (Linear)" if marked else f"Linear_{at}"
            module(built, name, begin, begin + 45, marked=marked)
            module(built, inner, begin + 1, begin + 40, marked=marked)
            autograd_op(built, "aten::linear", begin + 2, begin + 30, 10 * step + at)
            work(built, begin + 3, us, name="gemm")
        behind = start + 30 + 50 * len(layers)
        autograd_op(built, "aten::mse_loss", behind, behind + 9, 10 * step + 9)
        work(built, behind + 1, 5, name="loss")
        behind += 20
        _engine(built, "MseLossBackward0", behind, 10 * step + 9, 6)
        for at in reversed(range(len(layers))):
            behind += 80
            _engine(built, "AddmmBackward0", behind, 10 * step + at, 2 * layers[at])
            built.op("torch::autograd::AccumulateGrad", behind + 70, behind + 75, thread=BACKWARD)
            work(built, behind + 71, 1, name="add", backward=True)
        behind += 80
        built.annotation("Optimizer.step#SGD.step", behind, behind + 20)
        work(built, behind + 1, 7, name="sgd")
    return built


def _engine(built: TraceBuilder, name: str, start: float, number: int, us: float) -> None:
    autograd_op(
        built, f"autograd::engine::evaluate_function: {name}", start, start + 68, number, backward=True
    )
    autograd_op(built, name, start + 1, start + 66, number, backward=True)
    work(built, start + 2, us, name=name, backward=True)


def modules_of(built: TraceBuilder, *, in_steps: bool = True) -> tuple[Facts, ModuleTable]:
    facts = facts_of(built)
    return facts, module_table(facts, range(len(facts.steps)) if in_steps else None)


def module_rows(built: TraceBuilder, *, in_steps: bool = True) -> dict[str, ModuleRow]:
    """By name."""
    return {row.name: row for row in modules_of(built, in_steps=in_steps)[1].rows}
