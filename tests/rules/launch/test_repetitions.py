"""Programs that repeat something, each with what a reader would say: whether it is a loop over items."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.model import Finding
from tbprof.rules.launch.words import ItemLoop

OP_US, GAP_US = 20.0, 5.0


def program(*parts: tuple[int, Sequence[str]], named: bool = True, steps: int = 1) -> TraceBuilder:
    """Parts that are made so many times, one after the other.

    Of an op, `!` reads a value back, `^` uploads one, and `.` is a view; `@range` lies around what follows in
    its turn.
    """
    built = TraceBuilder()
    at = 0.0
    for step in range(steps):
        begin = at
        for times, ops in parts:
            for _ in range(times):
                at = _turn(built, at, ops, named=named)
        built.step(step, begin, at + 1)
        at += 2
    return built


def _turn(built: TraceBuilder, at: float, ops: Sequence[str], *, named: bool) -> float:
    for op in ops:
        name, kind = op.rstrip("!^."), op[-1]
        if op.startswith("@"):
            built.annotation(op[1:], at, at + (OP_US + GAP_US) * len(ops))
            continue
        if named:
            built.op(name if "::" in name else f"aten::{name}", at, at + OP_US)
        if kind in "!^":
            direction = "DtoH" if kind == "!" else "HtoD"
            built.copy(direction, "pageable", at + 1, at + 18, runs=(at + 8, at + 9))
        elif kind != ".":
            built.launch(at + 5, at + 10, runs=(at + 12, at + 14), name=f"{name}_kernel")
        at += OP_US + GAP_US
    return at


LAYER = (
    "layer_norm",
    "linear",
    "scaled_dot_product_attention",
    "linear",
    "layer_norm",
    "linear",
    "gelu",
    "linear",
)
MODEL = (2, LAYER)

LOOPS = {
    "boxes of each of 80 classes": (
        MODEL,
        (80, ("eq", "select.", "nonzero!", "index", "gt", "torchvision::nms!")),
    ),
    "experts of each of 12 layers": tuple(
        part
        for _ in range(12)
        for part in (
            (1, LAYER[:4]),
            (8, ("eq", "nonzero!", "index", "linear", "silu", "linear", "index_add_")),
        )
    ),
    "a metric of each sample": (MODEL, (64, ("select.", "select.", "mul", "sum", "div", "item!"))),
    "a threshold of each image, uploaded": (MODEL, (32, ("select.", "to^", "gt", "sum", "where"))),
    "a mask of each row, without a wait": (MODEL, (48, ("select.", "masked_fill_", "copy_"))),
    "a loop that branches": (
        MODEL,
        *(
            (1, ("select.", "max", "item!", *(("sub", "clamp", "index_put_") if at % 3 else ())))
            for at in range(40)
        ),
    ),
    "samples of a tensor that was taken apart": ((1, ("linear", "unbind.")), (20, ("mul", "sum", "add"))),
}
"""Each is one: a person would do it for all classes, experts, samples, images or rows at once."""

MAY_BE_SCANS = ("samples of a tensor that was taken apart",)
"""Nothing in their turns looks at what was found: the last one's sum may be what the next one adds to."""

NONE = {
    "layers": ((24, LAYER),),
    "layers that check a value": ((24, (*LAYER, "is_nonzero!")),),
    "decoded tokens": ((30, ("embedding", *LAYER, "softmax", "multinomial", "cat", "item!")),),
    "batches of an evaluation": ((30, ("to^", "linear", "relu", "linear", "argmax", "eq", "sum", "item!")),),
    "cells": ((40, ("select.", "addmm", "addmm", "sigmoid", "tanh", "mul", "add")),),
    "an optimizer": ((60, ("@Optimizer.step#Adam.step", "mul_", "addcdiv_", "item!")),),
    "averages of weights": ((60, ("mul_", "add_")),),
    "uploads of a batch's parts": (MODEL, (20, ("to^",))),
    "losses that are read": (MODEL, (20, ("item!",))),
    "rollouts": ((30, ("to^", "linear", "tanh", "linear", "softmax", "multinomial", "gather", "item!")),),
    "conjugate gradients": ((50, ("mv", "dot", "div", "item!", "add_", "sub_")),),
    "beams of a search, five at a time": ((6, LAYER), (5, ("select.", "topk", "item!")), (6, LAYER)),
    "exchanges": ((20, ("sum", "c10d::allreduce_", "item!")),),
}


def loops(built: TraceBuilder) -> list[Finding]:
    return found(built, "LCH08")


@pytest.mark.parametrize("name", LOOPS)
def test_it_is_a_loop_over_items(name: str) -> None:
    (finding,) = loops(program(*LOOPS[name]))
    assert isinstance(finding.figures, ItemLoop)
    assert bool(finding.figures.selects) == (name not in MAY_BE_SCANS)


@pytest.mark.parametrize("name", NONE)
def test_it_is_none(name: str) -> None:
    assert loops(program(*NONE[name])) == []


def test_each_place_of_a_loop_counts() -> None:
    (finding,) = loops(program(*LOOPS["experts of each of 12 layers"]))
    assert isinstance(finding.figures, ItemLoop)
    assert finding.figures.turns == 96


def test_without_ops_kernels_name_it() -> None:
    (finding,) = loops(program((60, ("gt", "sum", "item!", "add")), named=False))
    assert isinstance(finding.figures, ItemLoop)
    assert finding.figures.calls.startswith("gt_kernel, sum_kernel, Memcpy DtoH")


def test_a_solver_is_told_that_it_may_stay_a_loop() -> None:
    """Nothing in its turns takes an item out of anything."""
    (finding,) = loops(program((200, ("mul", "add", "sub", "abs", "max", "item!"))))
    assert isinstance(finding.figures, ItemLoop)
    assert not finding.figures.selects
    assert finding.severity == "medium"
