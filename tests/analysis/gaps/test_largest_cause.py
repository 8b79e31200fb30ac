"""Which cause holds most of the idle."""

from __future__ import annotations

from scenes import host_bound
from trace_builder import TraceBuilder

from tbprof.analysis.figures.idle_places import largest_cause


def test_after_a_read_the_host_is_late_until_its_next_launch() -> None:
    assert largest_cause(host_bound().facts()) == "launch"
    assert host_bound().facts().causes.total_ns(0)["launch"] > 0


def test_without_a_device_or_idle_there_is_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    assert largest_cause(built.facts()) == ""
    built.launch(0, 0, runs=(0, 100))
    assert largest_cause(built.facts()) == ""
