"""Trainings of several steps that do one thing in each, for the rules to find or to leave."""

from __future__ import annotations

from collections.abc import Callable

from trace_builder import TraceBuilder

from tbprof.model import Finding

CODES_OF_READS = ("SYN01", "SYN02", "SYN04")


def each_step(what: Callable[[TraceBuilder, float], None], *, steps: int = 3) -> TraceBuilder:
    """Steps of 1000 us in which the device works for 100 us before and 100 us after `what` at 200."""
    built = TraceBuilder()
    for number in range(steps):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 120))
        what(built, start + 200)
        built.launch(start + 800, start + 805, runs=(start + 810, start + 910))
    return built


def found(built: TraceBuilder, *codes: str) -> list[Finding]:
    """The findings of these rules."""
    report = built.report()
    assert report.failed_rules == ()
    return [finding for finding in report.findings if finding.rule in codes]
