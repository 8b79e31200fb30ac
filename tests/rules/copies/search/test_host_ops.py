"""The ops of a thread in order, and which of them ran on the host alone."""

from __future__ import annotations

import numpy as np
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.rules.copies.host_ops import host_ops, ops_of, ops_within, top_level_ops


def told() -> Facts:
    """Two ops with one in each; the second launches a kernel. Another thread has one as well."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::zeros", 100, 200)
    built.op("aten::zero_", 120, 180)
    built.op("aten::zeros", 300, 400)
    built.op("aten::zero_", 320, 380)
    built.launch(330, 340, runs=(350, 360))
    built.op("aten::zeros", 100, 200, thread=SIDE)
    return built.facts()


def starts(facts: Facts, rows: np.ndarray) -> list[int]:
    return ((facts.trace.slices.start_ns[rows] - facts.origin_ns) // 1000).tolist()


def test_ops_of_a_lane_are_in_order_and_top_level_ones_lie_in_no_other() -> None:
    facts = told()
    ops = ops_of(facts, facts.training_threads[0])
    assert starts(facts, ops) == [100, 120, 300, 320]
    assert starts(facts, top_level_ops(facts, ops)) == [100, 300]


def test_an_op_with_a_call_of_the_runtime_in_it_was_not_on_the_host_alone() -> None:
    facts = told()
    lane = facts.training_threads[0]
    assert starts(facts, host_ops(facts, "aten::zeros", lane)) == [100]
    assert starts(facts, host_ops(facts, "aten::zero_$", lane)) == [120]


def test_an_op_and_what_runs_in_it_lie_within_it() -> None:
    facts = told()
    ops = ops_of(facts, facts.training_threads[0])
    assert starts(facts, ops_within(facts, ops, int(ops[0]))) == [100, 120]
    assert starts(facts, ops_within(facts, ops, int(ops[3]))) == [320]


def test_a_lane_without_ops_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    facts = built.facts()
    ops = ops_of(facts, facts.training_threads[0])
    assert (len(ops), len(top_level_ops(facts, ops))) == (0, 0)
