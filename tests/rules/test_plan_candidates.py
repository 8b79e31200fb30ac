"""Which findings may have a row in the fix plan."""

from __future__ import annotations

import dataclasses

import pytest
from masked_scene import masked_reads
from trace_builder import TraceBuilder

from tbprof.model import Finding, Removal, Severity
from tbprof.rules.checking import candidates


def finding(rule: str, *sites: int, removal: Removal = "defer", severity: Severity = "high") -> Finding:
    (made,) = (found for found in masked_reads().report().findings if found.rule == "SYN10")
    return dataclasses.replace(made, rule=rule, sites=sites, removal=removal, severity=severity)


def rules(*findings: Finding) -> list[str]:
    return [findings[at].rule for at in candidates(findings)]


def test_what_a_replay_can_judge_and_matters_has_a_row() -> None:
    assert rules(finding("SYN01", 0), finding("SYN02", 1, removal="rewrite")) == ["SYN01"]
    assert rules(finding("SYN01", 0, severity="info"), finding("TRC02")) == []


def test_a_bundle_has_none_if_each_of_its_sites_has_one() -> None:
    assert rules(finding("SYN10", 0, 1), finding("SYN01", 0), finding("SYN04", 1)) == ["SYN01", "SYN04"]


def test_a_bundle_has_one_if_a_site_has_none_and_takes_the_place_of_those_that_it_holds() -> None:
    bundle, held, beside = finding("SYN10", 0, 1), finding("SYN01", 0), finding("SYN04", 2)
    assert rules(bundle, held, beside) == ["SYN10", "SYN04"]


@pytest.mark.parametrize("gap", [1, 100])
def test_two_synchronizes_in_a_row_are_in_the_plan_together(gap: float) -> None:
    """The second waits for nothing while the first is there, and is no finding by itself."""
    built = TraceBuilder()
    for number in range(4):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 5, runs=(start + 10, start + 495))
        built.synchronize("cudaStreamSynchronize", start + 100, start + 500)
        built.synchronize("cudaDeviceSynchronize", start + 500 + gap, start + 502 + gap)
        built.launch(start + 900, start + 905, runs=(start + 910, start + 995))
    report = built.report()
    assert [report.findings[row.finding].rule for row in report.fix_plan] == ["SYN10"]
    assert report.savings is not None
    assert report.savings.estimate_ns == report.fix_plan[0].total_ns > 1_000_000
