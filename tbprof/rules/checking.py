"""Every rule over one window: what it found, and what became of it where it found nothing.

Which finding speaks where several rules found the same waits: that of the rule that comes before.

A rule says in its own file which others it comes before: those that see less of the same wait. A loop
of reads, or the read of a GradScaler, is also a read of a scalar, and says more of it.

Which findings may have a row in the fix plan.

Those that the replay can judge and that matter (not info). A bundle holds the sites of others, which
have rows of their own; but where one of its sites has no finding in the plan, what they win together would be
missing there: then the bundle has the row, and takes the place of the findings that it holds. Of two
findings about the same sites the first has it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import TypeAlias

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import (
    MEDIUM_SHARE,
    REPLAYED,
    SEVERITIES,
    Check,
    FailedRule,
    Finding,
    FindingIndex,
    SiteIndex,
    disambiguated,
)
from tbprof.records import dataclass
from tbprof.rules.base.findings import with_remedy
from tbprof.rules.base.rule import CALLS, Rule
from tbprof.rules.declared import is_part
from tbprof.rules.registry import RULES


@dataclass(frozen=True, slots=True)
class RuleRun:
    findings: tuple[Finding, ...]
    """Worst first."""
    failed: tuple[FailedRule, ...]
    checks: tuple[Check, ...]
    """One a rule, in their order."""


def run_rules(rules: Sequence[Rule], facts: Facts) -> RuleRun:
    """All rules that can run; one that raises costs itself only."""
    found: list[Finding] = []
    failed: list[FailedRule] = []
    checks: dict[str, Check] = {}
    held: dict[SiteIndex, str] = {}
    for rule in rules:
        checks[rule.code] = Check(rule.code, "not_checked")
        try:
            all_needs = rule.needs if rule.is_of_device else (CALLS, *rule.needs)
            needs = tuple(need.name for need in all_needs if not need.is_met(facts))
            if needs:
                checks[rule.code] = Check(rule.code, "not_checked", needs=needs)
                continue
            mine = tuple(rule.find(facts))
            checks[rule.code] = Check(rule.code, "failed") if mine else _passed(rule, facts)
            found.extend(mine)
            if mine and rule.holds is not None:
                held |= dict.fromkeys(rule.holds(facts), rule.code)
        except Exception as error:  # noqa: BLE001 - one broken rule must not cost the report
            failed.append(FailedRule(rule.code, f"{type(error).__name__}: {error}"))
    settled = settle(
        [_as_part(finding, held) for finding in found], [len(site.members) for site in facts.sites]
    )
    named = with_distinct_fingerprints([_graded(one, facts) for one in settled], facts.sites)
    findings = tuple(sorted(named, key=_worst_first))
    return RuleRun(
        findings, tuple(failed), tuple(_with_finding(check, findings) for check in checks.values())
    )


_SHORTENING = frozenset(rule.code for rule in RULES if rule.effect == "shorter_kernels")
_MOSTLY_IDLE = 0.8
_TRIFLE_NS = 25_000
"""Less of a step is lost in its noise, however short the step is: a host calls two operators meanwhile."""


def _graded(finding: Finding, facts: Facts) -> Finding:
    """The same, at most low where hardly anything is to be won.

    So it is with shorter kernels for a device that hardly ever works: it would wait for the host for longer.
    """
    if finding.saving is None or SEVERITIES.index(finding.severity) > SEVERITIES.index("medium"):
        return finding
    steps = facts.steps
    least_ns = max(MEDIUM_SHARE * steps.total_ns, _TRIFLE_NS * len(steps))
    is_in_vain = (
        finding.rule in _SHORTENING
        and finding.saving.estimate_ns is None
        and facts.fillable_ns > _MOSTLY_IDLE * steps.total_ns
    )
    if is_in_vain or finding.saving.ceiling_ns < least_ns:
        return dataclasses.replace(finding, severity="low")
    return finding


def _as_part(finding: Finding, held: Mapping[SiteIndex, str]) -> Finding:
    """The finding; with the fix of the rule that holds all its sites, and no saving beside that rule's."""
    if not finding.sites or not held.keys() >= set(finding.sites):
        return finding
    part = dataclasses.replace(finding, severity="info", saving=None)
    return with_remedy(part, fixed_as=held[finding.sites[0]])


def _passed(rule: Rule, facts: Facts) -> Check:
    figures = rule.passing(facts)
    if figures is None:
        return Check(rule.code, "not_applicable")
    return Check(rule.code, "passed", figures=figures)


def _with_finding(check: Check, findings: Sequence[Finding]) -> Check:
    """The check of a failed rule; it is not applicable where other rules speak for all that it found."""
    if check.state != "failed":
        return check
    mine = (at for at, one in enumerate(findings) if one.rule == check.rule and not is_part(one))
    worst = next(mine, None)
    if worst is None:
        return Check(check.rule, "not_applicable")
    return Check(check.rule, "failed", finding=FindingIndex(worst))


def _worst_first(finding: Finding) -> tuple[int, int, str, tuple[int, ...]]:
    ceiling = finding.saving.ceiling_ns if finding.saving is not None else 0
    return SEVERITIES.index(finding.severity), -ceiling, finding.rule, finding.sites


def most_specific_first(rules: Sequence[Rule]) -> tuple[str, ...]:
    """The codes of the rules that come before others and of those others.

    Those that nobody comes before stand first, then those that only they come before, and so on; of one
    rank the lower code.

    Raises:
        graphlib.CycleError: A rule comes before itself.
    """
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for rule in rules:
        for other in rule.before:
            sorter.add(other, rule.code)
    sorter.prepare()
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return tuple(order)


_MOST_SPECIFIC_FIRST = most_specific_first(RULES)
"""Rules that speak of all waits of a site: the first takes the place of the others."""

_DISTORTING = frozenset(rule.code for rule in RULES if rule.distorts_family)


def settle(findings: Sequence[Finding], site_counts: Sequence[int]) -> list[Finding]:
    """The findings without those that repeat another, in the same order.

    Args:
        findings: Of all rules.
        site_counts: Of each site the number of its episodes. A finding about a part of them takes
            nobody's place.
    """
    distorted = {finding.rule[:3] for finding in findings if finding.rule in _DISTORTING}
    true = [f for f in findings if f.rule[:3] not in distorted or f.rule in _DISTORTING]
    taken: dict[int, str] = {}
    for rule in _MOST_SPECIFIC_FIRST:
        for finding in true:
            if finding.rule == rule and finding.count == sum(site_counts[i] for i in finding.sites):
                for site in finding.sites:
                    taken.setdefault(site, rule)
    return [finding for finding in true if not _repeats(finding, taken)]


def _repeats(finding: Finding, taken: dict[int, str]) -> bool:
    """Whether more specific findings have all its sites."""
    if finding.rule not in _MOST_SPECIFIC_FIRST or not finding.sites:
        return False
    rank = _MOST_SPECIFIC_FIRST.index
    return all(site in taken and rank(taken[site]) < rank(finding.rule) for site in finding.sites)


_Order: TypeAlias = tuple[int, tuple[int, ...], str, str, tuple[str, ...], bool]


def with_distinct_fingerprints(findings: Sequence[Finding], sites: Sequence[SiteMembers]) -> list[Finding]:
    """The findings by their lines, each with a fingerprint that no other one of the window has.

    Nothing that changes from run to run takes part in the order: no wait, no count.

    Args:
        findings: Of all rules.
        sites: Those of the window.
    """
    by_line = sorted(findings, key=lambda finding: sorted(_order(sites[site]) for site in finding.sites))
    names = disambiguated(finding.fingerprint for finding in by_line)
    return [
        dataclasses.replace(finding, fingerprint=name) for finding, name in zip(by_line, names, strict=True)
    ]


def _order(site: SiteMembers) -> _Order:
    source = site.source
    line, candidates = (0, ()) if source is None else (source.line or 0, source.candidates)
    return line, candidates, site.direction, site.memory, site.calls, site.blocking


_BUNDLES = frozenset(rule.code for rule in RULES if rule.is_bundle)


def candidates(findings: Sequence[Finding]) -> list[int]:
    """Indices of findings, ascending."""
    worth = [at for at, finding in enumerate(findings) if _is_worth_a_row(finding)]
    alone = [at for at in worth if findings[at].rule not in _BUNDLES]
    held = {site for at in alone for site in findings[at].sites}
    bundles = [at for at in worth if at not in alone and not set(findings[at].sites) <= held]
    taken = {site for at in bundles for site in findings[at].sites}
    rows: list[int] = []
    for at in sorted([*bundles, *(at for at in alone if not set(findings[at].sites) <= taken)]):
        if not any(set(findings[at].sites) <= set(findings[row].sites) for row in rows):
            rows.append(at)
    return rows


def _is_worth_a_row(finding: Finding) -> bool:
    is_told = finding.saving is not None and finding.saving.estimate_ns is not None
    return is_told and finding.removal in REPLAYED and bool(finding.sites) and finding.severity != "info"
