"""The list of rules, their pages, and what one rule can do to the others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from scenes import host_bound

from tbprof.analysis.facts import Facts
from tbprof.errors import UsageError
from tbprof.model import FailedRule, Finding, NotChecked
from tbprof.report import report_of
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.registry import RULES
from tbprof.texts.findings.rule_pages import RuleText, all_rules, rule_text

PAGES = {page.code: page for page in all_rules()}


def test_codes_and_names_are_there_once() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"(SYN|CPY|DAT|LCH|OPT|PRC|MEM|CMP|DST|TRC)\d\d", rule.code)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)


def test_a_rule_lives_in_the_file_of_its_code_and_name() -> None:
    for rule in RULES:
        module = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
        assert rule.find.__module__.rpartition(".")[2] == module


@pytest.mark.parametrize("code", PAGES)
def test_a_page_has_all_its_parts(code: str) -> None:
    page = PAGES[code]
    for part in (page.title, page.what, page.why, page.before, page.after, page.fix, page.silent):
        assert part
        assert part == part.strip()
    assert not page.title.endswith(".")
    assert page.what.endswith(".")


@pytest.mark.parametrize("code", PAGES)
def test_what_stands_before_and_after_the_fix_is_python(code: str) -> None:
    page = PAGES[code]
    for example in (page.before, page.after):
        ast.parse(example)
    assert page.before != page.after


def test_a_page_is_found_by_its_code_in_any_case() -> None:
    page = rule_text("syn01")
    assert isinstance(page, RuleText)
    assert page.title == "A scalar is read back in the step"


def test_a_rule_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="there is no rule 'SYN99': the rules are SYN01, "):
        rule_text("SYN99")


def raises_at_once(facts: Facts) -> Iterator[Finding]:
    raise ZeroDivisionError(f"{len(facts.steps)} steps")


def raises_after_one(facts: Facts) -> Iterator[Finding]:
    yield from RULES[0].find(facts)
    raise KeyError("aten::item")


def broken(find: object, *needs: Need) -> Rule:
    return Rule(code="TRC99", name="broken", needs=needs, find=find, doc="")  # type: ignore[arg-type]


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
