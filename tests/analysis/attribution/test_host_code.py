"""What a host thread was in at an instant."""

from __future__ import annotations

import numpy as np
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE


def instants(facts: Facts, *at: float) -> np.ndarray:
    """Of times in us of a builder."""
    return np.array([round(one * 1000) for one in at], np.int64) + facts.origin_ns


def told() -> TraceBuilder:
    """A step with a label from 100, within it a function from 200, and an op in an op from 300."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.annotation("loss", 100, 500)
    built.frame("train.py(12): step", 200, 450)
    built.op("aten::linear", 300, 700)
    built.op("aten::addmm", 350, 650)
    built.frame("train.py(30): log", 800, 900)
    built.launch(0, 1, runs=(2, 990))
    return built


def test_a_label_comes_before_a_function_and_this_before_an_op() -> None:
    facts = told().facts()
    at = instants(facts, 50, 150, 250, 400, 600, 850)
    assert facts.places.names(at, at) == ["", "loss", "loss", "loss", "aten::linear", "train.py(30): log"]


def test_an_op_is_no_code_of_the_user() -> None:
    facts = told().facts()
    lane = np.full(2, facts.training_threads[0], np.int64)
    assert facts.places.code_on(lane, instants(facts, 150, 600)) == ["loss", ""]


def test_the_innermost_op_is_found_by_its_row() -> None:
    facts = told().facts()
    lane = np.full(3, facts.training_threads[0], np.int64)
    rows = facts.places.ops_on(lane, instants(facts, 400, 680, 900)).tolist()
    names = [facts.trace.names[facts.trace.slices.name[row]] for row in rows[:2]]
    assert (names, rows[2]) == (["aten::addmm", "aten::linear"], NONE)


def test_what_other_threads_do_is_no_place_of_the_training() -> None:
    built = told()
    built.annotation("checkpoint", 0, 90, thread=SIDE)
    facts = built.facts()
    at = instants(facts, 50)
    assert facts.places.names(at, at) == [""]
    assert facts.trace.lanes[facts.training_threads[0]].thread == str(MAIN)


def test_a_long_pause_is_named_by_what_the_host_was_in_for_most_of_it() -> None:
    """In its very middle it was in a function that runs for a moment."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.frame("train.py(10): main", 0, 1000)
    built.frame("images.py(20): preprocess", 110, 780)
    built.frame("images.py(90): normalize", 440, 460)
    facts = built.facts()
    start, end = instants(facts, 100), instants(facts, 800)
    assert facts.places.names(start, end) == ["images.py(20): preprocess"]


def test_generated_code_goes_by_what_is_around_it() -> None:
    built = TraceBuilder()
    built.annotation("denoise", 100, 500)
    built.annotation("## Call CompiledFxGraph f2x ##", 200, 400)
    built.annotation("## Call CompiledFxGraph f3y ##", 600, 800)
    built.launch(0, 1, runs=(2, 990))
    facts = built.facts()
    at = instants(facts, 150, 300, 700)
    assert facts.places.names(at, at) == [
        "denoise",
        "torch.compile: denoise",
        "torch.compile: ## Call CompiledFxGraph f3y ##",
    ]
