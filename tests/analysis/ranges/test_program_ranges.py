"""Ranges around each other, on their own thread and across `backward()`."""

from __future__ import annotations

import numpy as np
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.program_ranges import ProgramRanges, backward_threads, main_thread
from tbprof.analysis.nesting import Nest
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Category

AUTOGRAD = 555
NODE = "autograd::engine::evaluate_function: MmBackward0"


def training() -> TraceBuilder:
    """A step whose `backward()` stands in a label, and whose ops run on autograd's thread."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.annotation("forward", 0, 40)
    built.annotation("backward", 40, 90)
    built.op(NODE, 50, 60, thread=AUTOGRAD)
    built.launch(52, 54, runs=(55, 65), thread=AUTOGRAD)
    built.op("aten::stack", 50, 60, thread=SIDE)
    return built


def around(facts: Facts, thread: int, start_us: int, end_us: int) -> str:
    """The label around a moment of a thread; "" for none."""
    trace = facts.trace
    ranges = ProgramRanges(
        facts, Nest.of(trace.slices, np.flatnonzero(trace.slices.category == Category.USER_ANNOTATION))
    )
    lane = next(at for at, lane in enumerate(trace.lanes) if lane.thread == str(thread))
    start, end = (np.array([facts.origin_ns + at * 1000]) for at in (start_us, end_us))
    (at,) = ranges.around(np.array([lane]), start, end).tolist()
    return "" if at == NONE else trace.names[trace.slices.name[ranges.rows[at]]]


def test_a_moment_lies_in_the_innermost_range_of_its_thread() -> None:
    assert around(training().facts(), MAIN, 10, 20) == "forward"


def test_what_autograd_runs_lies_in_the_range_that_called_it() -> None:
    assert around(training().facts(), AUTOGRAD, 52, 54) == "backward"


def test_what_another_thread_runs_lies_in_no_range_of_the_main_thread() -> None:
    assert around(training().facts(), SIDE, 52, 54) == ""


def test_a_range_of_its_own_comes_first_on_autograds_thread() -> None:
    built = training()
    built.annotation("my backward", 51, 58, thread=AUTOGRAD)
    assert around(built.facts(), AUTOGRAD, 52, 54) == "my backward"


def test_on_the_cpu_backward_runs_where_it_is_called() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.op(NODE, 50, 60)
    facts = built.facts()
    assert backward_threads(facts) == ()
    assert main_thread(facts) in facts.training_threads
