"""Whether there is a later step to read in."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import read_scalar
from trace_builder import TraceBuilder

from tbprof.rules.base.findings import has_later_step


def reads(*steps: int, marked: int = 2) -> TraceBuilder:
    """One read in each of these steps, of as many as are marked."""
    built = TraceBuilder()
    for number in range(marked):
        built.step(number, 1000 * number, 1000 * number + 1000)
    for number in steps:
        start = 1000 * number
        built.launch(start + 10, start + 15, runs=(start + 20, start + 420))
        read_scalar(built, start + 110, wait=320)
    return built


def has_later(built: TraceBuilder) -> bool:
    facts = built.facts()
    return has_later_step(facts, np.arange(len(facts.episodes.first)))


@pytest.mark.parametrize(("steps", "later"), [((0,), True), ((0, 1), True), ((1,), False)])
def test_a_step_that_follows_is_a_later_one(steps: tuple[int, ...], later: bool) -> None:
    assert has_later(reads(*steps)) == later


@pytest.mark.parametrize(("steps", "later"), [((0,), False), ((0, 1), True)])
def test_where_no_steps_are_marked_what_comes_again_has_one(steps: tuple[int, ...], later: bool) -> None:
    assert has_later(reads(*steps, marked=0)) == later


def test_a_loop_in_the_only_step_goes_on_and_reads_in_a_row_do_not() -> None:
    built = reads(0, marked=1)
    read_scalar(built, 500, wait=20)
    assert not has_later(built)
    built.launch(600, 605, runs=(610, 700))
    read_scalar(built, 620, wait=90)
    assert has_later(built)


def test_a_program_that_trains_goes_on() -> None:
    built = reads(0, marked=1)
    assert not has_later(built)
    built.annotation("Optimizer.step#SGD.step", 500, 600)
    assert has_later(built)


def test_without_a_later_step_a_read_is_needed_and_has_no_estimate() -> None:
    (finding,) = (found for found in reads(1).report().findings if found.rule.startswith("SYN"))
    assert (finding.removal, finding.severity) == ("needed", "info")
    assert finding.saving is not None
    assert finding.saving.estimate_ns is None
