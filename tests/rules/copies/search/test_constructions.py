"""Modules and optimizers that are built while the training runs."""

from __future__ import annotations

import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.intervals import total_ns
from tbprof.rules.copies.cpy06_object_construction_in_step import find_constructions


def test_a_module_within_a_module_takes_its_time_once() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.annotation("loss", 90, 300)
    built.frame("torch/nn/modules/module.py(445): __init__", 100, 200)
    built.frame("torch/nn/modules/module.py(445): __init__", 120, 180)
    (found,) = find_constructions(built.facts())
    assert (found.place, len(found.rows), found.steps, total_ns(found.during)) == ("loss", 2, 1, 100_000)


@pytest.mark.parametrize(
    "frame",
    [
        "torch/nn/modules/module.py(1700): __call__",
        "mytorch/nn/modules/module.py(445): __init__",
        "torch/nn/modules/loss.py(30): __init__",
        "torch/optim/adam.py(30): __init__",
    ],
)
def test_each_object_is_counted_by_the_frame_that_all_have(frame: str) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.frame(frame, 100, 200)
    assert find_constructions(built.facts()) == []
