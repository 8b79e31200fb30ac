"""The Overview: figures of one step, causes with their places, the plan, what to trust."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
import scenes
from public_report import PublicReport
from report_samples import REPORT, changed
from trace_builder import TraceBuilder

from tbprof.model import IdlePlace, MissingFact, PlanRow, Report, Saving
from tbprof.rules.trace_health.words import Gaps
from tbprof.views.overview import OverviewView
from tbprof.views.overview_view import overview_view


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
    assert not overview(dataclasses.replace(host_bound, findings=(), fix_plan=(), ranked=None)).nothing_to_fix
    busy = scenes.gpu_bound().report()
    info = tuple(dataclasses.replace(finding, severity="info") for finding in busy.findings)
    assert overview(dataclasses.replace(busy, findings=info, ranked=None)).nothing_to_fix


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
    assert (place.text, place.site) == ('record_function("forward")', 0)
    assert place.because.startswith("exposed only because ")


def worth_a_millisecond() -> Report:
    """One read that costs a tenth of a step of 4 ms, estimated, and a loader that costs half of it."""
    read = dataclasses.replace(REPORT.findings[0], saving=Saving(600_000, 1_200_000, 1_500_000))
    loader = dataclasses.replace(
        read, rule="DAT01", sites=(), saving=Saving(0, None, 6_000_000), severity="critical", fingerprint="d"
    )
    return changed(findings=(read, loader), fix_plan=(PlanRow(0, 1_200_000, 1_200_000, 1_500_000),))


def test_the_first_action_is_the_headline() -> None:
    shown = overview(worth_a_millisecond())
    loader, read = shown.actions
    assert (loader.finding.rule, loader.is_planned, loader.bounds) == ("DAT01", False, "an upper limit")
    assert shown.headline == loader.saves
    assert (loader.saves.ceiling_us, loader.share, shown.speedup) == (2000.0, 0.5, None)
    assert (read.worth, read.bounds) == (
        "saves 0.4\u202fms",
        "0.2\u202fms to 0.5\u202fms; then at most 3.6\u202fms",
    )
    assert (read.share, read.severity) == (0.1, "critical")


def test_an_action_is_an_order_and_says_how() -> None:
    loader, _ = overview(worth_a_millisecond()).actions
    assert loader.title == "Prepare batches faster, with more loader workers"
    assert loader.how == "Give the loader more workers and a deeper prefetch."


def test_findings_beside_the_actions_have_no_figure_or_are_not_worth_it() -> None:
    unknown = dataclasses.replace(REPORT.findings[0], saving=None, fingerprint="u")
    info = dataclasses.replace(REPORT.findings[0], severity="info", fingerprint="i")
    shown = overview(changed(findings=(unknown, info), fix_plan=()))
    assert [row.fingerprint for row in shown.unknown] == ["u"]
    assert [row.fingerprint for row in shown.leave] == ["i"]


def test_small_rows_of_the_plan_are_told_in_a_sentence() -> None:
    report = worth_a_millisecond()
    small = dataclasses.replace(report.findings[0], saving=Saving(0, 30_000, 30_000), fingerprint="s")
    plan = (*report.fix_plan, PlanRow(2, 30_000, 1_230_000, 1_600_000))
    shown = overview(
        dataclasses.replace(report, findings=(*report.findings, small), fix_plan=plan, ranked=None)
    )
    said = "1 smaller change, not listed, adds 10 \u00b5s: a step then takes at most 3.6 ms."
    assert shown.smaller.replace("\u202f", " ") == said


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


def test_after_a_leading_wait_there_may_be_something_to_change_all_the_same() -> None:
    """Of a turn of 5 ms after a wait of 9: with an action below it, nothing says to record first."""
    waits = TraceBuilder()
    waits.launch(0, 2, runs=(2, 4))
    waits.synchronize("cudaStreamSynchronize", 6, 9_000)
    for start in range(9_000, 14_000, 500):
        waits.launch(start, start + 2, runs=(start + 20, start + 70))
    report = waits.report()
    shown = overview(report)
    assert report.verdict is not None
    assert (report.verdict.case, bool(shown.actions), shown.records_first) == ("leading_wait", True, False)
    assert not any(row.title.startswith("Window typical") for row in shown.trust)


@pytest.mark.parametrize(("case", "states"), [("outside_window", ["warning"]), ("launch_bound", [])])
def test_a_window_that_is_to_be_recorded_again_is_not_typical(case: str, states: list[str]) -> None:
    assert REPORT.verdict is not None
    judged = dataclasses.replace(REPORT.verdict, case=case)
    shown = overview(changed(verdict=judged))
    assert [row.state for row in shown.trust if row.title.startswith("Window typical")] == states
    assert shown.records_first == bool(states)


@pytest.mark.parametrize(
    ("count", "expected"), [(1, ("unknown", "not known")), (2, ("unknown", "not known")), (3, ("ok", "none"))]
)
def test_what_is_not_known_has_no_tick(count: int, expected: tuple[str, str]) -> None:
    steps = tuple(dataclasses.replace(step, cold=False) for step in REPORT.steps)
    titled = [row for row in overview(changed(steps=steps[:count])).trust if row.title.startswith("Cold")]
    assert [(row.state, row.figure) for row in titled] == [expected]


def test_a_trace_that_lacks_what_the_figures_rest_on_is_a_warning() -> None:
    lacked = Gaps(damaged=False, without_launch=12, before_launch=0, unnamed_waits=0)
    gaps = dataclasses.replace(REPORT.findings[0], rule="TRC03", severity="info", figures=lacked, sites=())
    shown = overview(changed(findings=(*REPORT.findings, gaps))).trust
    [row] = [row for row in shown if row.title == "The trace lacks something that the figures rest on"]
    assert row.state == "warning"
    assert "12" in row.detail
    damaged = dataclasses.replace(gaps, figures=dataclasses.replace(lacked, damaged=True, without_launch=0))
    said = overview(changed(findings=(*REPORT.findings, damaged))).trust
    assert not any(row.title.startswith("The trace lacks") for row in said)


def test_without_a_gpu_nobody_else_is_on_it() -> None:
    assert not any(row.title.startswith("Other") for row in overview(changed(idle=None)).trust)


def test_without_a_gpu_and_steps_there_is_nothing_to_draw() -> None:
    shown = overview(
        changed(idle=None, savings=None, steps=(), fix_plan=(), findings=(), sites=(), code=(), facts=None)
    )
    assert (shown.step_us, shown.device, shown.headline, shown.speedup) == (None, None, None, None)
    assert [row.state for row in shown.trust][:2] == ["unknown", "unknown"]


def test_communication_is_no_computing(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(next((traces / "dlrm_v100_8rank").glob("worker1_*.json.gz")))
    device, (stack,) = overview(report).device, overview(report).stacks
    assert device is not None
    assert device.communication_us == stack.communication_us > 5 * device.computing_us
