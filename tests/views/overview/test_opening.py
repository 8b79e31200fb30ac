"""What opens a screen, and what its list of actions begins with, are one."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed
from stored_verdicts import stored_verdict

from tbprof.model import HostTime, PlanRow, PredictedLine, Report, Saving, Severity, Source
from tbprof.rules.memory.words import GrowingMemory
from tbprof.views.opening import opening_of
from tbprof.views.overview_view import overview_view

BUSY = stored_verdict(
    "drained",
    {
        "steps": 3,
        "devices": 1,
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
    verdict = stored_verdict(case or BUSY.case, BUSY.numbers())
    return changed(findings=(found,), fix_plan=plan, verdict=verdict)


def said(report: Report) -> tuple[str, str]:
    opening = opening_of(report)
    return opening.verdict.replace("\u202f", " "), opening.action.replace("\u202f", " ")


def test_a_loader_that_comes_first_is_named_first() -> None:
    verdict, action = said(report_of(Saving(0, None, 6_000_000)))
    assert (
        verdict
        == "The GPU is idle 50 % of a step because it is waiting for data: the next batch is not ready."
    )
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
    numbers = {**BUSY.numbers(), "communication_share": 0.5, "computing_share": 0.4}
    report = report_of(Saving(0, None, 6_000_000), case="communication")
    report = dataclasses.replace(report, verdict=stored_verdict("communication", numbers), ranked=None)
    verdict, action = said(report)
    assert "communication" in verdict
    assert action == ""


LINE = PredictedLine(
    "SYN01", "scalar_read", Source("train.py", 7, "step", exact=True, candidates=()), "item", 1, "seen", "f1"
)


def without_gpu(loading_ns: int, *lines: PredictedLine) -> Report:
    """Of steps of 4 ms, with what DAT05 says of the loader."""
    host = HostTime(waiting_ns=0, loading_ns=loading_ns, launching_ns=1_000_000)
    steps = tuple(dataclasses.replace(step, host=host) for step in REPORT.steps)
    saving = Saving(0, None, loading_ns * len(steps))
    found = dataclasses.replace(
        REPORT.findings[0], rule="DAT05", saving=saving, sites=(), severity="critical"
    )
    return changed(idle=None, steps=steps, findings=(found,), fix_plan=(), predicted_lines=lines)


def test_loading_comes_first_where_most_of_a_step_without_a_gpu_is_loading() -> None:
    verdict, action = said(without_gpu(3_000_000, LINE))
    assert verdict == "Recorded without a GPU: loading data takes 75 % of a step, 3.0 ms of 4.0 ms."
    assert action == "First: prepare batches in worker processes: up to 3.0 ms of 4.0 ms."
    assert "1 line would make the host wait" in opening_of(without_gpu(3_000_000, LINE)).detail


def test_dropout_without_a_gpu_is_not_called_python() -> None:
    loading = without_gpu(3_000_000)
    (found,) = loading.findings
    report = dataclasses.replace(loading, findings=(dataclasses.replace(found, rule="INF01"),), ranked=None)
    assert said(report) == (
        "Recorded without a GPU: nothing is trained, and training mode takes up to 75 % of a step, "
        "3.0 ms of 4.0 ms.",
        "First: put the model into evaluation mode: model.eval(): up to 3.0 ms of 4.0 ms.",
    )


def test_else_a_line_that_would_wait_comes_first_with_its_part_of_the_waits() -> None:
    verdict, action = said(without_gpu(180_000, LINE))
    assert verdict == "Recorded without a GPU: 1 line would make the host wait for one."
    assert action == (
        "First: read this value less often, or one step late (train.py:7). On a GPU it drains the GPU's"
        " queue once a step: record on a GPU to see what that costs."
    )


def test_a_line_that_would_raise_comes_first_and_waits_for_nothing() -> None:
    _, action = said(without_gpu(180_000, dataclasses.replace(LINE, kind="device_mismatch")))
    assert action.endswith("(train.py:7). On a GPU it ends in an error.")


def test_a_line_comes_before_python_that_merely_calls_operators() -> None:
    report = without_gpu(3_000_000, LINE)
    called = dataclasses.replace(report.findings[0], rule="LCH06", severity="low")
    verdict, action = said(dataclasses.replace(report, findings=(called,), ranked=None))
    assert verdict == "Recorded without a GPU: 1 line would make the host wait for one."
    assert "(train.py:7)" in action


def test_without_such_a_line_what_the_host_spends_is_first_all_the_same() -> None:
    verdict, action = said(without_gpu(180_000))
    assert verdict == "Recorded without a GPU: no line that was seen would make the host wait for one."
    assert action == "First: prepare batches in worker processes: up to 0.2 ms of 4.0 ms."


def test_where_another_recording_comes_first_it_is_the_order_and_no_saving_is_headlined() -> None:
    cold = {
        **BUSY.numbers(),
        "calls": 2,
        "calls_us": 9.0,
        "longest_us": 5.0,
        "longest_op": "",
        "longest_call": "f",
    }
    report = report_of(Saving(0, None, 6_000_000), case="cold_start")
    report = dataclasses.replace(report, verdict=stored_verdict("cold_start", cold), ranked=None)
    assert said(report)[1].startswith(
        "First: record again with a longer `skip_first`: for 2.0 ms of 4.0 ms the"
    )
    shown = overview_view(report)
    assert shown.actions
    assert shown.headline is None
    before = stored_verdict("cold_start", {**cold, "before_us": 6000.0, "recording_us": 10_000.0})
    assert said(dataclasses.replace(report, verdict=before, ranked=None))[1].startswith(
        "First: record again with a longer `skip_first`: for 8.0 ms of 10.0 ms the"
    )


def test_of_a_window_that_records_a_graph_nothing_is_ranked() -> None:
    report = report_of(Saving(0, None, 6_000_000), case="capture")
    report = dataclasses.replace(
        report, verdict=stored_verdict("capture", {"launches": 9, "without": 8}), ranked=None
    )
    assert said(report)[1].startswith("First: profile steps that replay the graph")
    assert overview_view(report).actions == ()


def test_the_late_rank_is_the_first_thing_to_look_for_where_a_rule_names_it() -> None:
    numbers = {**BUSY.numbers(), "communication_share": 0.5, "computing_share": 0.4}
    report = report_of(Saving(0, None, 6_000_000), "DST01")
    report = dataclasses.replace(report, verdict=stored_verdict("communication", numbers), ranked=None)
    assert said(report)[1].startswith("First: find the late rank")


def test_a_busy_device_without_actions_says_that_the_host_has_none() -> None:
    numbers = {**BUSY.numbers(), "computing_share": 1.0, "communication_share": 0.0, "copying_share": 0.0}
    numbers |= {"points": 0, "because": "launch_bound", "kernel": "gemm", "kernel_share": 0.5}
    report = changed(findings=(), fix_plan=(), verdict=stored_verdict("busy", {**numbers, "cause_us": 0.0}))
    assert said(report)[1].startswith("First: nothing on the host is worth a change")
    assert "`gemm` 50" in opening_of(report).detail


def growing(severity: Severity, *, may_replace_older: bool = False) -> Report:
    figures = GrowingMemory(
        device="GPU 0",
        place="",
        operator="",
        module="",
        place_per_step_bytes=0,
        per_step_bytes=4_000_000,
        peak_bytes=9_000_000,
        is_graph=False,
        may_replace_older=may_replace_older,
    )
    found = dataclasses.replace(
        REPORT.findings[0],
        rule="MEM05",
        severity=severity,
        saving=None,
        sites=(),
        figures=figures,
    )
    return changed(findings=(found,), fix_plan=(), verdict=BUSY)


def test_memory_that_is_sure_to_fill_up_is_told_before_all_findings() -> None:
    detail = opening_of(growing("high")).detail.replace("\u202f", " ")
    assert detail.endswith("Memory of GPU 0 grows by 4.0 MB in each step (MEM05), until it is full.")


def test_memory_that_grows_little_or_perhaps_is_not() -> None:
    assert "MEM05" not in opening_of(growing("low")).detail
    assert "MEM05" not in opening_of(growing("medium", may_replace_older=True)).detail
