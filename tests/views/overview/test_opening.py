"""What opens a screen, and what its list of actions begins with, are one."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed

from tbprof.model import HostTime, PlanRow, PredictedLine, Report, Saving, Verdict
from tbprof.views.overview.opening import opening_of

BUSY = Verdict(
    "drained",
    {
        "steps": 3,
        "all_steps": 3,
        "marked": 1,
        "steps_us": 12_000.0,
        "idle_share": 0.5,
        "cause": "data",
        "cause_us": 6_000.0,
        "gain_us": 3_000.0,
        "planned_us": 3_000.0,
    },
)


def report_of(saving: Saving, rule: str = "DAT01", *, is_planned: bool = False, case: str = "") -> Report:
    sites = (0,) if is_planned else ()
    found = dataclasses.replace(
        REPORT.findings[0], rule=rule, saving=saving, sites=sites, severity="critical"
    )
    planned_ns = saving.estimate_ns or 0
    plan = (PlanRow(0, planned_ns, planned_ns, saving.ceiling_ns),) if is_planned else ()
    verdict = dataclasses.replace(BUSY, case=case or BUSY.case)
    return changed(findings=(found,), fix_plan=plan, verdict=verdict)


def said(report: Report) -> tuple[str, str]:
    opening = opening_of(report)
    return opening.verdict.replace("\u202f", " "), opening.action.replace("\u202f", " ")


def test_a_loader_that_comes_first_is_named_first() -> None:
    verdict, action = said(report_of(Saving(0, None, 6_000_000)))
    assert verdict == "The GPU is idle 50 % of a step because the next batch is not ready."
    order = "prepare batches faster, with more loader workers"
    assert action == f"First: {order}: up to 2.0 ms of 4.0 ms."


def test_waits_that_come_first_are_named_first() -> None:
    verdict, action = said(report_of(Saving(0, 3_000_000, 4_000_000), "SYN01", is_planned=True))
    assert verdict.startswith("Waits let the GPU run dry")
    assert action.startswith("First: read this value less often, or one step late")
    assert action.endswith(": saves about 1.0 ms of 4.0 ms.")


def test_what_would_not_show_is_no_first_action() -> None:
    assert said(report_of(Saving(0, None, 60_000)))[1] == ""


def test_where_another_rank_is_to_be_looked_at_no_action_is_first() -> None:
    numbers = {**BUSY.numbers, "communication_share": 0.5, "computing_share": 0.4}
    report = report_of(Saving(0, None, 6_000_000), case="communication")
    report = dataclasses.replace(report, verdict=Verdict("communication", numbers))
    verdict, action = said(report)
    assert "communication" in verdict
    assert action == ""


def without_gpu(loading_ns: int, *lines: PredictedLine) -> Report:
    host = HostTime(waiting_ns=0, loading_ns=loading_ns, launching_ns=1_000_000)
    steps = tuple(dataclasses.replace(step, host=host) for step in REPORT.steps)
    return changed(idle=None, steps=steps, recorded_calls=REPORT.recorded_calls, predicted_lines=lines)


def test_loading_comes_first_where_most_of_a_step_without_a_gpu_is_loading() -> None:
    verdict, _ = said(without_gpu(3_000_000))
    assert verdict.startswith("Recorded without a GPU: loading data takes")
    assert "worker" in opening_of(without_gpu(3_000_000)).detail
    verdict, _ = said(without_gpu(100_000))
    assert verdict == "Recorded without a GPU: no line that was seen would make the host wait for one."
