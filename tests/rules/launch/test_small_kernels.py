"""Code whose kernels are so short that launching them takes longer than running them."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.figures.idle_places import find_launch_idle
from tbprof.analysis.intervals import total_ns
from tbprof.rules.launch.bound_code import kernels_by_code


def told() -> TraceBuilder:
    """One op of `a` launches two kernels of 5 and 7 us, `b` one of 9; a copy is no kernel."""
    built = TraceBuilder()
    built.step(1, 0, 500)
    built.annotation("a", 0, 60)
    built.op("aten::norm", 10, 55)
    built.launch(10, 12, runs=(12, 17))
    built.launch(40, 42, runs=(42, 49))
    built.annotation("b", 70, 200)
    built.launch(100, 102, runs=(102, 111))
    built.copy("HtoD", "pinned", 150, 152, runs=(152, 500), size_bytes=8)
    return built


def test_each_code_has_its_kernels_ops_and_the_idle_that_its_launches_ended() -> None:
    facts = told().facts()
    codes = list(kernels_by_code(facts, find_launch_idle(facts)))
    assert [(code.place, code.kernels, code.ops, code.median_kernel_ns) for code in codes] == [
        ("b", 1, 0, 9_000),
        ("a", 2, 1, 6_000),
    ]
    assert [total_ns(code.idle) for code in codes] == [53_000 + 41_000, 12_000 + 25_000]


def test_work_outside_the_steps_counts_nowhere() -> None:
    built = told()
    built.launch(700, 702, runs=(702, 703))
    facts = built.facts()
    assert sum(code.kernels for code in kernels_by_code(facts, find_launch_idle(facts))) == 3


def test_kernels_of_a_graph_need_no_launch_each() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.annotation("replay", 0, 200)
    built.graph_launch(100, 110, runs=[(110 + 5 * index, 114 + 5 * index) for index in range(50)])
    built.launch(150, 152, runs=(400, 1000))
    facts = built.facts()
    (code,) = kernels_by_code(facts, find_launch_idle(facts))
    assert (code.place, code.kernels, code.median_kernel_ns) == ("replay", 1, 600_000)
