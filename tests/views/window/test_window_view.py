"""The tab's window screen, from a report."""

from __future__ import annotations

import dataclasses

import pytest
from report_samples import REPORT, SITE, changed, step

from tbprof.model import Finding, Instance, Report, Saving
from tbprof.views.window import WindowView
from tbprof.views.window_view import window_view


def view(report: Report = REPORT) -> WindowView:
    return window_view(report, run="run", worker="w", window="w.1")


def test_the_place_is_that_of_the_listing() -> None:
    assert (view().run, view().worker, view().window) == ("run", "w", "w.1")


@pytest.mark.parametrize(
    ("report", "state"),
    [
        (REPORT, "findings"),
        (changed(findings=(), fix_plan=()), "sites"),
        (changed(findings=(), fix_plan=(), sites=()), "clean"),
        (changed(idle=None), "no_device"),
    ],
)
def test_the_page_is_the_one_that_fits(report: Report, state: str) -> None:
    assert view(report).state == state


def test_the_median_step_leaves_cold_ones_out() -> None:
    assert view().median_step_us == 4000.0


@pytest.mark.parametrize("steps", [(), (step(1, 10, cold=True),)])
def test_a_window_without_warm_steps_has_no_median(steps: tuple[object, ...]) -> None:
    shown = view(changed(steps=steps, sites=(dataclasses.replace(SITE, per_step=(), instance=None),)))
    assert shown.median_step_us is None
    assert len(shown.steps) == len(steps)


def test_a_window_without_steps_gives_no_share_of_them() -> None:
    shown = view(changed(steps=(), sites=(dataclasses.replace(SITE, per_step=(), instance=None),)))
    assert shown.total_steps_us == 0
    assert shown.sites[0].share_of_steps is None


@pytest.mark.parametrize(("wait_ns", "share"), [(17_000_000, 1.0), (17_000_001, None)])
def test_a_wait_that_is_longer_than_the_steps_is_no_share_of_them(wait_ns: int, share: float | None) -> None:
    """A window without marked steps begins with the work of the GPU, and a call may have begun before."""
    shown = view(changed(sites=(dataclasses.replace(SITE, wait_ns=wait_ns), *REPORT.sites[1:])))
    assert shown.sites[0].share_of_steps == share


def test_a_site_has_its_findings_and_its_drawing() -> None:
    first, second = view().sites
    assert [found.rule for found in first.findings] == ["SYN01"]
    assert first.instance is not None
    assert first.instance.step == "ProfilerStep#2"
    assert first.share_of_steps == 3_000 / 17_000_000
    assert (second.findings, second.instance, second.source) == ((), None, None)


def test_an_instance_outside_every_step_names_none() -> None:
    outside = dataclasses.replace(SITE, instance=Instance(None, (), (), None))
    shown = view(changed(sites=(outside,))).sites[0].instance
    assert shown is not None
    assert shown.step is None


def test_a_finding_says_how_bad_it_is_in_shares_of_a_median_step() -> None:
    [found] = view().sites[0].findings
    # 1 to 2 us over three steps of 4 ms: of each a third.
    assert found.severity_reason == "<0.1\u202f% of a step"
    assert found.saving is not None
    assert (found.saving.floor_us, found.saving.estimate_us, found.saving.ceiling_us) == (1 / 3, 0.5, 2 / 3)
    assert found.fix.before


def test_a_finding_without_a_saving_promises_none() -> None:
    bare: Finding = dataclasses.replace(REPORT.findings[0], saving=None)
    [found] = view(changed(findings=(bare,), fix_plan=())).sites[0].findings
    assert found.saving is None
    assert found.severity_reason == "no saving is estimated"


def test_no_finding_saves_more_than_the_steps_take() -> None:
    most = dataclasses.replace(REPORT.findings[0], saving=Saving(10**12, None, 10**12))
    [found] = view(changed(findings=(most,))).sites[0].findings
    assert found.severity_reason == "100\u202f% of a step"


def test_idle_is_a_share_of_the_steps_of_every_device() -> None:
    idle = view().idle
    assert idle is not None
    assert idle.share_of_steps == 4_000_002 / 17_000_000


def test_the_worst_health_colors_the_window() -> None:
    assert view().worst_health == "warning"
    trace = dataclasses.replace(REPORT.trace, health=())
    assert view(changed(trace=trace, facts=None, savings=None)).worst_health == "ok"


def test_the_color_counts_what_is_no_fact_of_the_trace() -> None:
    """As a profiler that slowed the step: the chip stands for all that the panel lists."""
    assert REPORT.facts is not None
    trace = dataclasses.replace(REPORT.trace, health=())
    facts = dataclasses.replace(REPORT.facts, unprofiled_step_ns=3_000_000, profiled_step_ns=4_000_000)
    shown = view(changed(trace=trace, facts=facts))
    assert shown.worst_health == "warning"
    assert any(row.state == "warning" for row in shown.overview.trust)


def test_what_was_not_checked_and_what_failed_is_listed() -> None:
    assert [(row.rule, row.reason) for row in view().not_checked] == [
        ("CPY01", "not checked: no shapes recorded"),
        ("SYN04", "could not run: ValueError: x"),
    ]


def test_the_environment_leaves_out_what_is_not_known() -> None:
    rows = {row.name: row.value for row in view().environment}
    assert rows == {
        "torch": "2.9.0",
        "CUDA or HIP": "12.8",
        "devices": "NVIDIA H100",
        "first step": "12",
        "recorded": "with_stack",
    }
    assert view(changed(facts=None)).environment == ()


def test_the_environment_has_the_switches_that_decide_how_fast_a_step_is() -> None:
    assert REPORT.facts is not None
    facts = dataclasses.replace(
        REPORT.facts,
        git_commit="0a1b2c",
        settings={"cudnn.benchmark": "False"},
        environment={"CUDA_LAUNCH_BLOCKING": "1"},
    )
    rows = {row.name: row.value for row in view(changed(facts=facts)).environment}
    assert rows["commit"] == "0a1b2c"
    assert (rows["cudnn.benchmark"], rows["CUDA_LAUNCH_BLOCKING"]) == ("False", "1")
