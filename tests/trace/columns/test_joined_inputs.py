"""The calls of a window, and what they are given by steps beside it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from trace_builder import MAIN, TraceBuilder

from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.joined_inputs import CallInputs, joined_inputs, with_joined_inputs

AUTOGRAD, OTHER = 200, 201

Call = tuple[str, str, int]
"""Name, the module around it, and the rows of its input; 0 where no shapes are recorded."""


def recording(*steps: list[Call], threads: tuple[int, ...] = (MAIN,)) -> Trace:
    """Each step with its calls one after the other, in turns on these threads."""
    built = TraceBuilder()
    for number, calls in enumerate(steps):
        built.step(number, 1000 * number, 1000 * number + 900)
        for place, (name, module, rows) in enumerate(calls):
            start = 1000 * number + 10 * place
            if module:
                built.annotation(f"nn.Module: {module}", start, start + 9)
            built.op(name, start + 1, start + 8, thread=threads[place % len(threads)])
            if rows:
                args: dict[str, Any] = built.events[-1]["args"]
                args |= {"Input Dims": [[rows, 2]], "Input type": ["float"], "Concrete Inputs": [""]}
    return built.trace()


def shapes(window: Trace, beside: Trace) -> list[str]:
    """Of the window's operators in their order, "" where it is not known."""
    trace = with_joined_inputs(window, joined_inputs(beside))
    rows = [row for row, name in enumerate(trace.slices.name) if trace.names[name].startswith("aten::")]
    found = trace.input_shapes.at(np.array(rows))
    return ["" if text < 0 else trace.names[text] for text in found.tolist()]


MM, ADD = ("aten::mm", "", 3), ("aten::add", "", 4)


def bare(*calls: Call) -> list[Call]:
    return [(name, module, 0) for name, module, _ in calls]


def test_calls_are_joined_by_name_and_place() -> None:
    step = [MM, ADD, ("aten::mm", "", 5)]
    window = recording(bare(*step), bare(*step))
    assert shapes(window, recording(step, step)) == ["[[3,2]]", "[[4,2]]", "[[5,2]]"] * 2
    (fact,) = (
        one
        for one in with_joined_inputs(window, joined_inputs(recording(step))).health
        if "joined" in one.code
    )
    assert fact.numbers == {"steps": 1, "calls": 6, "of": 6}


@pytest.mark.parametrize(
    "other", [[("aten::mm", "", 7), ADD], [MM, MM, ADD]], ids=["another shape", "another number of calls"]
)
def test_what_differs_from_step_to_step_is_not_known(other: list[Call]) -> None:
    window = recording(bare(MM, ADD))
    assert shapes(window, recording([MM, ADD], other)) == ["", "[[4,2]]"]


def test_nor_is_what_the_window_calls_more_often() -> None:
    window = recording(bare(MM, ADD), bare(MM, MM, ADD))
    assert shapes(window, recording([MM, ADD])) == ["[[3,2]]", "[[4,2]]", "", "", "[[4,2]]"]


def test_a_module_that_is_left_out_moves_no_other_one() -> None:
    first, second = ("aten::mm", "Net.a (Linear)", 3), ("aten::mm", "Net.b (Linear)", 5)
    window = recording(bare(second, first), bare(second))
    assert shapes(window, recording([first, second])) == ["[[5,2]]", "[[3,2]]", "[[5,2]]"]


def test_beside_the_thread_of_the_steps_one_thread_has_an_order_and_several_have_none() -> None:
    step = [MM, ("aten::mm", "", 5)]
    beside = recording(step, threads=(AUTOGRAD,))
    assert shapes(recording(bare(*step), threads=(OTHER,)), beside) == ["[[3,2]]", "[[5,2]]"]
    assert shapes(recording(bare(*step), threads=(AUTOGRAD, OTHER)), beside) == ["", ""]
    assert shapes(recording(bare(*step)), beside) == ["", ""]


@pytest.mark.parametrize(
    "change",
    [
        {"texts": ("[", "", "")},
        {"sets": ((0, 1, 10**30),)},
        {"calls": (CallInputs("aten::mm", "", True, (1,)),)},
        {"calls": (CallInputs("aten::mm", "", True, (-2,)),)},
    ],
    ids=str,
)
def test_what_a_damaged_file_says_of_them_is_not_sound(change: dict[str, Any]) -> None:
    given = joined_inputs(recording([MM]))
    assert given.is_sound()
    assert not dataclasses.replace(given, **change).is_sound()


def test_without_steps_nothing_is_joined() -> None:
    built = TraceBuilder()
    built.op("aten::mm", 1, 2)
    assert shapes(built.trace(), recording([MM])) == [""]
    assert shapes(recording(bare(MM)), built.trace()) == [""]
