"""One list of what to change, over all causes."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import REPORT, changed
from stored_verdicts import stored_verdict

from tbprof.judge.actions import added_savings, rank
from tbprof.model import (
    DeviceIdle,
    Finding,
    Idle,
    PlanRow,
    Remedy,
    Removal,
    Report,
    Saving,
    Severity,
    Source,
)

STEPS_NS = 12_000_000
"""Of the three steps of the sample, 4 ms each."""


def finding(
    rule: str,
    saving: Saving | None,
    *,
    severity: Severity = "critical",
    sites: tuple[int, ...] = (),
    removal: Removal = "rewrite",
) -> Finding:
    return dataclasses.replace(
        REPORT.findings[0],
        rule=rule,
        saving=saving,
        severity=severity,
        sites=sites,
        removal=removal,
        fingerprint=rule + str(sites),
    )


def read(saving: Saving, site: int = 0, severity: Severity = "high") -> Finding:
    return finding("SYN01", saving, severity=severity, sites=(site,), removal="drop")


def report_of(*findings: Finding, plan: tuple[PlanRow, ...] = ()) -> Report:
    return changed(findings=findings, fix_plan=plan)


def rules(report: Report) -> list[str]:
    return [report.findings[action.findings[0]].rule for action in rank(report).actions]


def test_a_ceiling_of_another_cause_can_stand_before_the_plan() -> None:
    loader = finding("DAT01", Saving(0, None, 6_000_000))
    plan = (PlanRow(0, 400_000, 400_000, 500_000),)
    assert rules(report_of(read(Saving(0, 400_000, 500_000)), loader, plan=plan)) == ["DAT01", "SYN01"]


def test_an_estimate_counts_and_not_its_ceiling() -> None:
    host = finding("LCH02", Saving(0, None, 1_000_000))
    plan = (PlanRow(0, 400_000, 400_000, 5_000_000),)
    assert rules(report_of(read(Saving(0, 400_000, 5_000_000)), host, plan=plan)) == ["LCH02", "SYN01"]


def test_a_ceiling_is_weighed_as_its_severity_says() -> None:
    late = finding("LCH02", Saving(0, None, 5_000_000), severity="low")
    small = finding("LCH01", Saving(0, None, 400_000), severity="high")
    assert rules(report_of(late, small)) == ["LCH01", "LCH02"]


@pytest.mark.parametrize(("case", "first"), [("communication", "DST01"), ("launch", "LCH01")])
def test_communication_stands_first_where_the_screen_opens_with_it(case: str, first: str) -> None:
    exposed = finding("DST01", Saving(0, None, 6_000_000), severity="medium")
    small = finding("LCH01", Saving(0, None, 2_000_000))
    report = dataclasses.replace(report_of(small, exposed), verdict=stored_verdict(case, {}), ranked=None)
    assert rules(report)[0] == first


@pytest.mark.parametrize(("launching_ns", "first"), [(800_000, "SYN01"), (801_000, "LCH01")])
def test_what_the_first_sentence_is_about_leads_up_to_twice_its_worth(launching_ns: int, first: str) -> None:
    plan = (PlanRow(0, 400_000, 400_000, 500_000),)
    launches = finding("LCH01", Saving(0, None, launching_ns))
    report = report_of(read(Saving(0, 400_000, 500_000)), launches, plan=plan)
    assert rules(dataclasses.replace(report, verdict=stored_verdict("waits", {}), ranked=None))[0] == first
    late = report_of(launches, finding("LCH02", Saving(0, None, 400_000)))
    told = dataclasses.replace(late, verdict=stored_verdict("host_bound", {}), ranked=None)
    assert (rules(told)[0] == "LCH02") == (first == "SYN01")


@pytest.mark.parametrize(("launching_ns", "first"), [(400_000, "SYN01"), (401_000, "LCH01")])
def test_an_estimate_of_all_that_it_could_win_at_most_comes_before_it(launching_ns: int, first: str) -> None:
    plan = (PlanRow(0, 400_000, 400_000, 500_000),)
    launches = finding("LCH01", Saving(0, None, launching_ns))
    report = report_of(read(Saving(0, 400_000, 500_000)), launches, plan=plan)
    said = dataclasses.replace(report, verdict=stored_verdict("launch", {}), ranked=None)
    assert rules(said)[0] == first


def test_a_wait_that_no_replay_can_judge_is_worth_its_floor() -> None:
    wait = finding("SYN02", Saving(500_000, None, 5_000_000), sites=(0,))
    host = finding("LCH02", Saving(0, None, 600_000))
    assert rules(report_of(wait, host)) == ["LCH02", "SYN02"]


def test_the_plan_keeps_its_order_and_comes_where_its_largest_row_belongs() -> None:
    hidden, masking = read(Saving(0, 10, 10), 1), read(Saving(0, 300_000, 400_000), 0)
    loader = finding("DAT01", Saving(0, None, 1_000_000))
    plan = (PlanRow(1, 300_000, 300_000, 400_000), PlanRow(0, 2_000_000, 2_300_000, 3_000_000))
    shown = rank(report_of(hidden, masking, loader, plan=plan)).actions
    assert [action.findings for action in shown] == [(1,), (0,), (2,)]
    assert [action.total_ns for action in shown] == [300_000, 2_300_000, None]


@pytest.mark.parametrize(
    ("rule", "left_ns"),
    [("DAT01", 1_600_000), ("CPY06", 1_600_000), ("MEM04", 3_000_000), ("TRC01", 3_000_000)],
)
def test_a_ceiling_is_no_more_than_the_plan_leaves(rule: str, left_ns: int) -> None:
    """4 ms of idle and 0.6 ms of copies that nothing hides, of which the plan saves 3 ms."""
    idle = DeviceIdle(4_000_000, 4_000_000, 0, {"data": 4_000_000})
    found = (read(Saving(0, 3_000_000, 4_000_000)), finding(rule, Saving(0, None, 3_000_000)))
    report = changed(
        findings=found,
        fix_plan=(PlanRow(0, 3_000_000, 3_000_000, 4_000_000),),
        idle=Idle(total=idle, by_device={"0": idle}, places=()),
        steps=tuple(dataclasses.replace(step, copying_ns=200_000) for step in REPORT.steps),
    )
    _, after = rank(report).actions
    assert after.saving.ceiling_ns == left_ns


def test_waits_that_hide_one_another_are_one_action() -> None:
    masking, hidden = read(Saving(0, 5_000, 5_000), 0), read(Saving(0, 0, 5_000), 1)
    plan = (PlanRow(0, 5_000, 5_000, 6_000), PlanRow(1, 2_000_000, 2_005_000, 3_000_000))
    [action] = rank(report_of(masking, hidden, plan=plan)).actions
    assert action.findings == (0, 1)
    assert (action.saving.estimate_ns, action.total_ns) == (2_005_000, 2_005_000)


def test_places_of_one_rule_are_one_action() -> None:
    parts = [finding("LCH01", Saving(0, None, ns)) for ns in (2_000_000, 1_000_000)]
    [action] = rank(report_of(*parts)).actions
    assert action.findings == (0, 1)
    assert action.saving == Saving(0, None, 3_000_000)


def test_no_action_saves_more_than_the_steps_that_stand_for_the_window() -> None:
    """The sample's cold step is 9 ms long, its others 4 ms."""
    [action] = rank(report_of(finding("LCH01", Saving(0, None, 16_000_000)))).actions
    assert action.saving == Saving(0, None, STEPS_NS)


def test_what_is_small_is_left_where_something_larger_is_known() -> None:
    small = finding("CPY06", Saving(0, None, 60_000), severity="low", sites=(1,))
    large = finding("DAT01", Saving(0, None, 6_000_000))
    ranked = rank(report_of(small, large))
    assert [action.findings for action in ranked.actions] == [(1,)]
    assert ranked.leave == (0,)
    assert [action.findings for action in rank(report_of(small)).actions] == [(0,)]
    tiny = dataclasses.replace(small, saving=Saving(0, None, 6_000))
    assert rank(report_of(tiny)).actions == ()


def test_rows_of_the_plan_that_are_too_small_are_still_known() -> None:
    plan = (PlanRow(0, 900_000, 900_000, 900_000), PlanRow(1, 30_000, 930_000, 930_000))
    two = read(Saving(0, 900_000, 900_000)), read(Saving(0, 30_000, 30_000), 1, "low")
    ranked = rank(report_of(*two, plan=plan))
    assert [action.findings for action in ranked.actions] == [(0,)]
    assert [action.findings for action in ranked.smaller] == [(1,)]


def test_a_finding_whose_waits_the_plan_has_is_not_told_twice() -> None:
    bundle = finding("SYN10", Saving(0, 900_000, 900_000), sites=(0,), removal="drop")
    plan = (PlanRow(0, 900_000, 900_000, 900_000),)
    assert rules(report_of(read(Saving(0, 900_000, 900_000)), bundle, plan=plan)) == ["SYN01"]


def test_what_nobody_can_weigh_is_no_action() -> None:
    lost = finding("TRC03", None, severity="info")
    needed = read(Saving(0, None, 2_000_000), severity="info")
    ranked = rank(report_of(lost, needed))
    assert (ranked.actions, ranked.unknown, ranked.leave) == ((), (0,), (1,))


@given(st.lists(st.tuples(st.integers(0, 5_000_000), st.sampled_from(["high", "medium", "low", "info"]))))
def test_every_finding_is_somewhere_and_none_twice(drawn: list[tuple[int, Severity]]) -> None:
    found = [
        finding("CPY06", Saving(0, None, ns), severity=severity, sites=(at,))
        for at, (ns, severity) in enumerate(drawn)
    ]
    ranked = rank(report_of(*found))
    listed = [at for action in ranked.actions for at in action.findings]
    ways = [at for action in ranked.actions for way in action.ways for at in way.findings]
    assert sorted([*listed, *ways, *ranked.unknown, *ranked.leave]) == list(range(len(found)))
    graded = {"high": 0.1, "medium": 0.03, "low": 0.01}
    weights = [min(drawn[at][0], graded[found[at].severity] * STEPS_NS) for at in listed]
    assert weights == sorted(weights, reverse=True)
    assert sum(action.saving.ceiling_ns for action in ranked.actions) <= STEPS_NS


def test_a_row_of_the_plan_adds_to_those_above_it() -> None:
    second = dataclasses.replace(REPORT.findings[0], saving=Saving(900, 1_200, 3_000), fingerprint="f")
    plan = (PlanRow(0, 1_500, 1_500, 2_000), PlanRow(1, 300, 1_800, 3_500))
    added = added_savings(changed(findings=(*REPORT.findings, second), fix_plan=plan))
    # What is left of the ceiling above the total of the first; the floor is no more than is added.
    assert added == (Saving(1_000, 1_500, 2_000), Saving(300, 300, 2_000))


def test_a_window_without_steps_has_no_action() -> None:
    assert rank(changed(steps=(), findings=(), fix_plan=())).actions == ()


def test_shorter_kernels_share_what_the_host_waited_for_with_the_plan() -> None:
    plan = (PlanRow(0, 4_000_000, 4_000_000, 4_000_000),)
    found = (
        read(Saving(0, 4_000_000, 4_000_000)),
        finding("PRC01", Saving(0, None, 2_000_000), severity="medium"),
        finding("PRC03", Saving(0, None, 900_000), severity="medium"),
        finding("FUS01", Saving(0, None, 800_000), severity="medium"),
    )
    report = dataclasses.replace(report_of(*found, plan=plan), faster_device_ns=6_500_000)
    saved = {report.findings[action.findings[0]].rule: action.saving for action in rank(report).actions}
    assert saved["PRC01"] == Saving(0, None, 2_000_000)
    assert saved["PRC03"] == Saving(0, None, 500_000)
    assert saved["FUS01"] == Saving(0, None, 800_000)


def uploads(*, fixed_as: str = "") -> Report:
    """Two uploads of the plan, and a read between them that adds 300 us."""
    saving = Saving(0, 500_000, 900_000)
    found = [finding("CPY01", saving, sites=(at,), removal="drop") for at in (0, 1)]
    found = [dataclasses.replace(one, remedy=Remedy(fixed_as=fixed_as)) for one in found]
    rows = [(0, 500_000), (2, 300_000), (1, 200_000)]
    plan, total = [], 0
    for index, adds in rows:
        total += adds
        plan.append(PlanRow(index, adds, total, total + 100_000))
    return report_of(found[0], found[1], read(saving, 0), plan=tuple(plan))


def test_batches_that_one_loader_pins_are_one_row_of_the_plan() -> None:
    report = uploads()
    first, second = rank(report).actions
    assert (first.findings, first.saving.estimate_ns, first.total_ns) == ((0, 1), 700_000, 700_000)
    assert (second.findings, second.saving.estimate_ns, second.total_ns) == ((2,), 300_000, 1_000_000)
    assert second.total_ns == report.fix_plan[-1].total_ns


def test_what_is_kept_on_the_device_instead_is_a_change_for_each_line() -> None:
    assert [action.findings for action in rank(uploads(fixed_as="CPY03")).actions] == [(0,), (2,), (1,)]


@pytest.mark.parametrize(("exact", "rows"), [(True, [(0, 1)]), (False, [(0,), (1,)])])
def test_waits_of_one_line_are_one_row_of_the_plan(exact: bool, rows: list[tuple[int, ...]]) -> None:
    """Of a line that is only that of its function nobody knows."""
    saving = Saving(0, 400_000, 500_000)
    plan = (PlanRow(0, 400_000, 400_000, 500_000), PlanRow(1, 300_000, 700_000, 900_000))
    report = report_of(read(saving), read(saving, 1), plan=plan)
    source = Source("train.py", 12, "step", exact, ())
    sites = tuple(dataclasses.replace(site, source=source) for site in report.sites)
    assert [action.findings for action in rank(dataclasses.replace(report, sites=sites)).actions] == rows
