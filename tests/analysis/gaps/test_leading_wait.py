"""A recording that begins with a wait for work from before it."""

from __future__ import annotations

import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_durations import largest_kernels
from tbprof.judge.untypical_window import find_leading_wait
from tbprof.model import Verdict


def turn(waits_until: float, *, marked: bool = False) -> TraceBuilder:
    """A turn of 1 ms whose host waits before it until then; what it waits for is not recorded."""
    built = TraceBuilder()
    if marked:
        built.step(0, 0, waits_until + 1_000)
    built.launch(0, 2, runs=(2, 4))
    built.synchronize("cudaStreamSynchronize", 6, waits_until)
    for at in range(10):
        start = waits_until + 100.0 * at
        built.launch(start, start + 2, runs=(start + 5, start + 100))
    return built


def found(facts: Facts) -> tuple[int, int, int] | None:
    leading = find_leading_wait(facts, facts.work.devices[0])
    return None if leading is None else (leading.gap_ns, leading.rest_ns, leading.busy_ns)


def test_the_wait_is_told_from_the_turn_that_follows_it() -> None:
    assert found(turn(9_000).facts()) == (9_001_000, 995_000, 950_000)


@pytest.mark.parametrize("built", [turn(400), turn(9_000, marked=True)], ids=["small", "marked"])
def test_a_small_gap_and_one_of_a_step_are_idle_like_any(built: TraceBuilder) -> None:
    assert found(built.facts()) is None


def test_a_host_that_does_not_wait_is_late() -> None:
    built = TraceBuilder()
    built.launch(0, 2, runs=(2, 4))
    built.launch(9_000, 9_002, runs=(9_005, 10_000))
    assert found(built.facts()) is None


def test_it_is_the_verdict_with_the_kernels_of_the_rest() -> None:
    verdict = turn(9_000).report().verdict
    assert isinstance(verdict, Verdict)
    assert verdict.case == "leading_wait"
    assert (verdict.numbers()["leading_us"], verdict.numbers()["rest_us"]) == (9_001.0, 995.0)
    assert verdict.numbers()["kernel_share"] == 1.0


def test_the_two_largest_kernels_are_named_with_their_part_of_the_time() -> None:
    built = TraceBuilder()
    for at, (name, takes) in enumerate([("gemm", 60), ("norm", 10), ("gemm", 20), ("relu", 10)]):
        start = 100.0 * at
        built.launch(start, start + 1, runs=(start + 2, start + 2 + takes), name=name)
    facts = built.facts()
    assert largest_kernels(facts, facts.work.devices[0]) == [("gemm", 0.8), ("norm", 0.1)]
