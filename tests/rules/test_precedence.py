"""Which finding speaks where several rules found the same waits."""

from __future__ import annotations

import itertools
from graphlib import CycleError

import pytest

from tbprof.model import Finding
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.words import NoFigures
from tbprof.rules.checking import most_specific_first, settle
from tbprof.rules.registry import RULES

SITE_COUNTS = (6, 6, 6)


def finding(rule: str, *sites: int, count: int | None = None) -> Finding:
    """About all episodes of its sites, or only `count` of them."""
    return Finding(
        rule=rule,
        severity="low",
        sites=sites,
        steps=(0,),
        count=6 * len(sites) if count is None else count,
        removal="defer",
        saving=None,
        confidence="high",
        evidence=(),
        figures=NoFigures(),
        fingerprint=rule,
    )


def left(*findings: Finding) -> list[str]:
    return [found.rule for found in settle(findings, SITE_COUNTS)]


def rule(code: str, *before: str) -> Rule:
    return Rule(code=code, find=lambda _: iter(()), passing=events_in_steps, before=before)


def test_what_a_rule_says_of_others_gives_their_order() -> None:
    rules = [rule("AAA01"), rule("AAA02", "AAA01"), rule("AAA03", "AAA02"), rule("AAA04", "AAA02")]
    assert most_specific_first(rules) == ("AAA03", "AAA04", "AAA02", "AAA01")


def test_two_rules_can_not_come_before_each_other() -> None:
    with pytest.raises(CycleError):
        most_specific_first([rule("AAA01", "AAA02"), rule("AAA02", "AAA01")])


def test_a_rule_comes_before_rules_that_are_there() -> None:
    named = {code for rule in RULES for code in rule.before}
    assert named <= {rule.code for rule in RULES}


OF_ONE_SITE = ("SYN01", "SYN02", "SYN03", "SYN04", "SYN05", "SYN06", "SYN07", "SYN08", "SYN09", "SYN12")


def test_exactly_one_rule_speaks_of_a_site() -> None:
    for one, other in itertools.combinations(OF_ONE_SITE, 2):
        spoken = left(finding(one, 0), finding(other, 0))
        assert len(spoken) == 1, (one, other)
        assert left(finding(other, 0), finding(one, 0)) == spoken, (one, other)


@pytest.mark.parametrize("special", ["SYN05", "SYN07", "SYN08", "SYN12"])
def test_what_knows_why_a_scalar_is_read_goes_before_what_knows_that_it_is(special: str) -> None:
    assert left(finding("SYN01", 0), finding(special, 0)) == [special]


@pytest.mark.parametrize("special", ["CPY02", "CPY04", "CPY05"])
def test_what_knows_why_a_tensor_is_uploaded_goes_before_what_knows_its_size(special: str) -> None:
    assert left(finding("CPY03", 0), finding(special, 0)) == [special]


def test_findings_of_other_sites_stay() -> None:
    assert left(finding("SYN01", 0), finding("SYN05", 1)) == ["SYN01", "SYN05"]


@pytest.mark.parametrize(("count", "rules"), [(6, ["SYN08"]), (5, ["SYN01", "SYN08"])])
def test_a_finding_about_a_part_of_a_site_takes_nobodys_place(count: int, rules: list[str]) -> None:
    assert left(finding("SYN01", 0), finding("SYN08", 0, count=count)) == rules


def test_a_finding_over_several_sites_takes_the_place_of_all_beneath_it() -> None:
    assert left(finding("SYN01", 0), finding("SYN12", 0, 1), finding("SYN01", 1), finding("SYN01", 2)) == [
        "SYN12",
        "SYN01",
    ]


@pytest.mark.parametrize("rule", ["SYN10", "SYN13", "CPY01"])
def test_what_says_something_else_stays_beside_it(rule: str) -> None:
    assert left(finding("SYN01", 0), finding(rule, 0)) == ["SYN01", rule]


def test_blocking_launches_spoil_every_other_sync_rule_and_no_more() -> None:
    others = [rule.code for rule in RULES if rule.code.startswith("SYN") and rule.code != "SYN11"]
    findings = [finding(code, 0) for code in (*others, "CPY01")]
    assert left(*findings, finding("SYN11")) == ["CPY01", "SYN11"]
