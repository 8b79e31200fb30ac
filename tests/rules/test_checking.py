"""What becomes of each rule: found something, looked in vain, could not look, had nothing to look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scenes import host_bound
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.judge.words import verdict_sentences
from tbprof.model import GPU_RATES, Check, Finding
from tbprof.report import report_of
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import CALLS, Need, Rule
from tbprof.rules.registry import RULES
from tbprof.texts.check_outcomes import RECORDINGS


def check_of(rule: Rule) -> Check:
    (check,) = report_of(host_bound().trace(), (rule,)).checks
    return check


def finds(code: str) -> Rule:
    return next(rule for rule in RULES if rule.code == code)


def nothing(_: Facts) -> Iterator[Finding]:
    return iter(())


SHAPES = Need("shapes", lambda _: False)


def raising(facts: Facts) -> Iterator[Finding]:
    raise ZeroDivisionError(str(facts))


@pytest.mark.parametrize(
    ("rule", "state"),
    [
        (finds("SYN07"), "failed"),
        (Rule(code="SYN99", find=nothing, passing=events_in_steps), "passed"),
        (Rule(code="SYN99", find=nothing, passing=events_in_steps, needs=(SHAPES,)), "not_checked"),
        (Rule(code="SYN99", find=nothing, passing=lambda _: None), "not_applicable"),
        (Rule(code="SYN99", find=raising, passing=events_in_steps), "not_checked"),
    ],
)
def test_each_outcome(rule: Rule, state: str) -> None:
    assert check_of(rule).state == state


def test_a_passed_check_has_figures_and_one_that_was_not_made_has_its_needs() -> None:
    assert check_of(Rule(code="SYN99", find=nothing, passing=events_in_steps)).numbers()["steps"] == 4
    assert check_of(Rule(code="A", find=nothing, passing=events_in_steps, needs=(SHAPES,))).needs == (
        "shapes",
    )


def test_a_failed_check_names_its_worst_finding() -> None:
    report = host_bound().report()
    failed = [check for check in report.checks if check.finding is not None]
    assert failed
    for check in failed:
        mine = [at for at, finding in enumerate(report.findings) if finding.rule == check.rule]
        assert check.finding == mine[0]


def test_there_is_one_check_a_rule_and_all_say_what_they_looked_at() -> None:
    report = host_bound().report()
    assert [check.rule for check in report.checks] == [rule.code for rule in RULES]
    assert all(bool(check.numbers()) == (check.state == "passed") for check in report.checks)


def test_a_window_without_a_device_has_no_check_passed_that_needs_one() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::add", 10, 20)
    states = {check.rule: check.state for check in built.report().checks}
    assert states["SYN01"] == states["CPY01"] == "not_applicable"
    assert states["LCH01"] == "not_checked"


def test_of_a_window_without_calls_of_the_host_only_the_device_is_judged() -> None:
    """As other profilers record it that were told to record kernels."""
    built = TraceBuilder()
    for number in range(4):
        built.kernel(200.0 * number, 200.0 * number + 100, name="vectorized_kernel", correlation=number)
    report = built.report()
    checks = {check.rule: check for check in report.checks}
    assert all("calls of the host" in checks[code].needs for code in ("SYN01", "CPY01", "LCH01", "MEM02"))
    assert checks["PRC07"].state != "not_checked"
    assert "points" not in report.verdict.numbers()
    assert verdict_sentences(report.verdict)[1] == "Whether the host waits for the GPU was not recorded."


def test_every_need_says_what_to_record() -> None:
    assert CALLS.name in RECORDINGS
    recorded = {need.name for rule in RULES for need in rule.needs} - {GPU_RATES}
    assert recorded <= RECORDINGS.keys(), "what no recording has is told in another way"
