"""How bad a finding is, at the edges of its classes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scenes import gpu_bound, host_bound
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS
from tbprof.model import Saving, Severity, severity_of_share
from tbprof.rules.base.severity import severity_of, severity_of_waits

STEPS = 4
SHARES = [
    (0.10, "critical"),
    (0.0999, "high"),
    (0.03, "high"),
    (0.0299, "medium"),
    (0.01, "medium"),
    (0.0099, "low"),
    (0.0, "low"),
]


def saving(*, floor: float = 0, estimate: float | None = None, ceiling: float) -> Saving:
    """As shares of steps of 1 ms, over all of them."""

    def ns(share: float) -> int:
        return round(share * STEPS * 1_000_000)

    return Saving(ns(floor), None if estimate is None else ns(estimate), ns(ceiling))


@pytest.mark.parametrize(("share", "severity"), SHARES)
def test_a_share_of_a_step_has_a_class(share: float, severity: Severity) -> None:
    assert severity_of_share(share) == severity


@pytest.mark.parametrize(("share", "severity"), SHARES)
def test_the_estimate_decides_where_there_is_one(share: float, severity: Severity) -> None:
    facts = host_bound(STEPS).facts()
    assert severity_of(facts, saving(floor=0.09, estimate=share, ceiling=0.3)) == severity


@pytest.mark.parametrize(("share", "severity"), SHARES[:5])
def test_without_an_estimate_the_floor_decides(share: float, severity: Severity) -> None:
    facts = host_bound(STEPS).facts()
    assert severity_of(facts, saving(floor=share, ceiling=0.3)) == severity


@pytest.mark.parametrize(
    ("share", "severity"), [(0.9, "medium"), (0.03, "medium"), (0.01, "medium"), (0.0099, "low")]
)
def test_a_ceiling_alone_gives_at_most_medium(share: float, severity: Severity) -> None:
    facts = host_bound(STEPS).facts()
    assert severity_of(facts, saving(ceiling=share)) == severity


def test_where_nothing_can_be_won_it_is_info() -> None:
    assert severity_of(host_bound(STEPS).facts(), saving(ceiling=0)) == "info"


def test_where_the_device_never_runs_dry_it_is_info() -> None:
    assert severity_of(gpu_bound(STEPS).facts(), saving(floor=0.2, ceiling=0.2)) == "info"


@pytest.mark.parametrize(("empty", "severity"), [(9.999, "info"), (10, "critical")])
def test_it_runs_dry_from_one_percent_of_empty_idle_on(empty: float, severity: Severity) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, empty, runs=(empty, 1000))
    assert severity_of(built.facts(), saving(floor=0.2, ceiling=0.2)) == severity


def test_the_step_is_the_median_of_the_warm_ones() -> None:
    """30 us a step are 3 % of the median warm step, and 2 % of that of all."""
    built = TraceBuilder()
    edges = [0, 10_000, 11_000, 12_000, 14_000]
    for number, (start, end) in enumerate(pairwise(edges)):
        built.step(number, start, end)
        built.launch(start + 500, start + 501, runs=(start + 510, end))
    assert severity_of(built.facts(), Saving(0, 4 * 30_000, 4 * 30_000)) == "high"


def test_a_benign_wait_is_no_alarm_however_much_it_could_win() -> None:
    built = host_bound(steps=1)
    built.op("entire_frame_compile", 100, 500)
    (finding,) = (finding for finding in built.report().findings if finding.sites)
    assert finding.saving is not None
    assert (finding.severity, finding.saving.ceiling_ns) == ("info", 328_000 + LINE_NS)


@pytest.mark.parametrize(
    ("known", "severity"),
    [(saving(floor=0.0099, ceiling=0.3), "info"), (saving(floor=0.01, ceiling=0.3), "medium")],
)
def test_the_only_wait_of_a_step_must_be_seen_to_cost(known: Saving, severity: Severity) -> None:
    facts = host_bound(STEPS).facts()
    assert severity_of_waits(facts, np.arange(STEPS), known) == severity
    assert severity_of(facts, known) == "medium"
