"""Which files are rules, and what one rule can do to the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from scenes import host_bound

from tbprof import rules
from tbprof.analysis.facts import Facts
from tbprof.model import FailedRule, Finding, NotChecked
from tbprof.report import report_of
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.declared import declared_rule
from tbprof.rules.files import rule_files
from tbprof.rules.registry import RULES

OF_NO_TRACE = {"DEV01", "DST02", "DST08"}
"""Preflight alone finds the first, the ranks of a job together the others."""


def test_codes_and_names_are_there_once() -> None:
    files = rule_files()
    assert len({file.code for file in files}) == len({file.name for file in files}) == len(files)
    for file in files:
        assert re.fullmatch(r"(SYN|CPY|DAT|LCH|FUS|OPT|PRC|MEM|CMP|DST|INF|SHR|ENV|TRC|DEV)\d\d", file.code)


def test_a_rule_lives_in_the_file_of_its_code() -> None:
    homes = {file: rule.code for file in rule_files() if (rule := declared_rule(file)) is not None}
    assert homes == {file: file.code for file in rule_files() if file.code not in OF_NO_TRACE}


def test_every_file_that_declares_a_rule_is_one() -> None:
    """Nobody lists them: a name or a folder that is no rule's would be passed over in silence."""
    package = Path(rules.__file__).parent
    declaring = {
        path for path in package.rglob("*.py") if re.search(r"^RULES? =|^RULE:", path.read_text(), re.M)
    }
    named = {path for path in package.rglob("*.py") if re.match(r"[a-z]{3}\d\d", path.name)}
    assert declaring | named == {file.path for file in rule_files()}


def test_every_rule_of_a_trace_has_its_records() -> None:
    """And no record is that of another code: such figures would never be read."""
    for family in {file.path.parent for file in rule_files()}:
        words = import_module(f"tbprof.rules.{family.name}.words")
        codes = {file.code for file in rule_files() if file.path.parent == family} - OF_NO_TRACE
        assert words.FOUND.keys() == words.LOOKED_AT.keys() == codes


def raises_at_once(facts: Facts) -> Iterator[Finding]:
    raise ZeroDivisionError(f"{len(facts.steps)} steps")


def raises_after_one(facts: Facts) -> Iterator[Finding]:
    yield from RULES[0].find(facts)
    raise KeyError("aten::item")


def broken(find: object, *needs: Need) -> Rule:
    return Rule(code="TRC99", needs=needs, find=find, passing=events_in_steps)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("find", "error"),
    [(raises_at_once, "ZeroDivisionError: 4 steps"), (raises_after_one, "KeyError: 'aten::item'")],
)
def test_a_rule_that_raises_is_recorded_and_stops_nothing(find: object, error: str) -> None:
    trace = host_bound().trace()
    report = report_of(trace, (broken(find), *RULES))

    assert report.failed_rules == (FailedRule("TRC99", error),)
    assert "SYN07" in [finding.rule for finding in report.findings]
    assert report.sites == report_of(trace).sites


def test_a_rule_whose_needs_are_not_met_is_not_run_and_says_what_it_needs() -> None:
    stacks = Need("stacks", lambda facts: len(facts.trace.call_stack.rows) > 0)
    steps = Need("steps", lambda facts: facts.steps.recorded)
    report = report_of(host_bound().trace(), (broken(raises_at_once, stacks, steps),))

    assert report.not_checked == (NotChecked("TRC99", "stacks"),)
    assert report.failed_rules == ()


def test_findings_stand_worst_first() -> None:
    report = host_bound().report()
    order = ["critical", "high", "medium", "low", "info"]
    ranks = [order.index(finding.severity) for finding in report.findings]
    assert ranks == sorted(ranks)


def test_a_need_that_raises_costs_its_rule_only() -> None:
    need = Need("what it can't tell", lambda facts: facts.steps.total_ns // 0 > 0)
    report = report_of(host_bound().trace(), (broken(raises_at_once, need), *RULES))
    assert [rule.error.split(":")[0] for rule in report.failed_rules] == ["ZeroDivisionError"]
    assert len(report.checks) == len(RULES) + 1
