"""The Overview: figures of one step, causes with their places, the plan, what to trust."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
import scenes
from report_samples import REPORT, changed

from tbprof.model import IdlePlace, MissingFact, PlanRow, Report, Saving
from tbprof.report import build_report
from tbprof.views.overview.building import overview_view
from tbprof.views.overview.overview import OverviewView


def overview(report: Report) -> OverviewView:
    return overview_view(report)


@pytest.fixture(scope="module")
def host_bound() -> Report:
    """Steps of 1 ms, each with one read, 508 us of idle and 2 us of copying."""
    return scenes.host_bound().report()


def test_the_parts_of_a_step_are_the_step(host_bound: Report) -> None:
    shown = overview(host_bound)
    assert shown.step_us == 1000.0
    assert shown.device is not None
    assert (shown.device.computing_us, shown.device.copying_us, shown.device.idle_us) == (490, 2, 508)
    assert sum(row.idle_us for row in shown.causes) == pytest.approx(508)
    host = shown.host
    assert host is not None
    assert host.launching_us + host.waiting_us + host.loading_us + host.other_us == pytest.approx(1000)


def test_each_step_is_drawn_in_the_same_parts(host_bound: Report) -> None:
    shown = overview(host_bound)
    for stack in shown.stacks:
        assert stack.computing_us + stack.copying_us + sum(stack.idle_us) == pytest.approx(1000)


def test_cold_steps_count_in_no_mean() -> None:
    cold = tuple(dataclasses.replace(step, cold=index == 0) for index, step in enumerate(REPORT.steps))
    shown = overview(changed(steps=cold))
    assert (shown.steady_steps, shown.step_us) == (2, 4000.0)
    assert [stack.cold for stack in shown.stacks] == [True, False, False]


def test_a_report_that_kept_less_has_no_bars() -> None:
    shown = overview(REPORT)
    assert (shown.device, shown.host, shown.causes) == (None, None, ())


def test_a_busy_gpu_without_findings_needs_no_fix(host_bound: Report) -> None:
    assert not overview(host_bound).nothing_to_fix
    assert not overview(dataclasses.replace(host_bound, findings=(), fix_plan=())).nothing_to_fix
    busy = scenes.gpu_bound().report()
    info = tuple(dataclasses.replace(finding, severity="info") for finding in busy.findings)
    assert overview(dataclasses.replace(busy, findings=info)).nothing_to_fix


def test_causes_come_in_the_order_of_the_drawing(host_bound: Report) -> None:
    causes = [row.cause for row in overview(host_bound).causes]
    assert causes == [
        cause for cause in ("sync", "launch", "staging", "unrecorded", "queued") if cause in causes
    ]
    assert causes[0] == "sync"


def test_idle_names_the_wait_that_let_it_happen(host_bound: Report) -> None:
    assert host_bound.idle is not None
    drained = IdlePlace("launch", 1_000, "forward", site=None, drained_by=0)
    idle = dataclasses.replace(host_bound.idle, places=(drained,))
    shown = overview(dataclasses.replace(host_bound, idle=idle))
    [place] = next(row for row in shown.causes if row.cause == "launch").places
    assert (place.text, place.site) == ("forward", 0)
    assert place.because.startswith("exposed only because ")


def test_a_plan_row_adds_to_those_above_it() -> None:
    second = dataclasses.replace(REPORT.findings[0], saving=Saving(900, 1_200, 3_000), fingerprint="f")
    plan = (PlanRow(0, 1_500, 1_500, 2_000), PlanRow(1, 300, 1_800, 3_500))
    shown = overview(changed(findings=(*REPORT.findings, second), fix_plan=plan)).plan
    assert [row.adds.estimate_us for row in shown] == pytest.approx([0.5, 0.1])
    # What is left of the ceiling above the total of the first; the floor is no more than is added.
    assert (shown[1].adds.floor_us, shown[1].adds.ceiling_us) == (pytest.approx(0.1), pytest.approx(2.0 / 3))
    assert shown[1].alone.estimate_us == pytest.approx(0.4)
    assert [row.step_then_us for row in shown] == pytest.approx([3999.5, 3999.4])


def test_findings_outside_the_plan_are_worth_a_look_or_not() -> None:
    medium = dataclasses.replace(REPORT.findings[0], severity="medium", fingerprint="m")
    info = dataclasses.replace(REPORT.findings[0], severity="info", fingerprint="i")
    shown = overview(changed(findings=(*REPORT.findings, medium, info)))
    assert [row.fingerprint for row in shown.ceilings] == ["m"]
    assert [row.fingerprint for row in shown.leave] == ["i"]


def test_the_headline_is_in_time_without_the_profiler() -> None:
    assert REPORT.facts is not None
    facts = dataclasses.replace(REPORT.facts, unprofiled_step_ns=3_000_000, profiled_step_ns=4_000_000)
    shown = overview(changed(facts=facts))
    assert shown.unprofiled_step_us == 3000.0
    assert (shown.headline, shown.saving) != (None, None)
    assert shown.headline is not None
    assert shown.saving is not None
    assert shown.headline.ceiling_us == pytest.approx(shown.saving.ceiling_us * 0.75)


def test_a_slow_profiler_is_a_warning() -> None:
    assert REPORT.facts is not None
    facts = dataclasses.replace(REPORT.facts, unprofiled_step_ns=3_000_000, profiled_step_ns=4_000_000)
    [row] = [row for row in overview(changed(facts=facts)).trust if row.figure == "\u00d71.33"]
    assert row.state == "warning"


@pytest.mark.parametrize(
    ("others", "state", "figure"), [(2, "warning", "2"), (0, "ok", "none"), (None, "unknown", "not recorded")]
)
def test_other_processes_on_the_gpu_are_named(others: int | None, state: str, figure: str) -> None:
    assert REPORT.facts is not None
    facts = dataclasses.replace(REPORT.facts, other_gpu_processes=others)
    titled = [row for row in overview(changed(facts=facts)).trust if row.title.startswith("Other processes")]
    assert [(row.state, row.figure) for row in titled] == [(state, figure)]


def test_what_the_hook_could_not_have_is_named_with_its_reason() -> None:
    assert REPORT.facts is not None
    missing = (MissingFact("allocator_counts", "RuntimeError: no statistics"),)
    facts = dataclasses.replace(REPORT.facts, missing=missing, profiler_start_ns=700_000_000)
    rows = overview(changed(facts=facts)).trust
    [row] = [row for row in rows if row.title == "What the GPU's allocator did"]
    assert (row.state, row.figure) == ("unknown", "not recorded")
    assert row.detail.startswith("RuntimeError: no statistics.")
    assert [row.figure for row in rows if row.title == "Start of the profiler"] == ["700.0\u202fms"]


def test_without_a_gpu_nobody_else_is_on_it() -> None:
    assert not any(row.title.startswith("Other") for row in overview(changed(idle=None)).trust)


def test_without_a_gpu_and_steps_there_is_nothing_to_draw() -> None:
    shown = overview(
        changed(idle=None, savings=None, steps=(), fix_plan=(), findings=(), sites=(), code=(), facts=None)
    )
    assert (shown.step_us, shown.device, shown.headline, shown.speedup) == (None, None, None, None)
    assert [row.state for row in shown.trust][:2] == ["unknown", "unknown"]


def test_communication_is_no_computing(traces: pathlib.Path) -> None:
    report = build_report(next((traces / "dlrm_v100_8rank").glob("worker1_*.json.gz")))
    device, (stack,) = overview(report).device, overview(report).stacks
    assert device is not None
    assert device.communication_us == stack.communication_us > 5 * device.computing_us
