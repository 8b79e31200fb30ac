"""Which finding speaks where several rules found the same waits: that of the rule that comes before.

A rule says in its own file which others it comes before: those that see less of the same wait. A loop
of reads, or the read of a GradScaler, is also a read of a scalar, and says more of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter

from tbprof.model import Finding
from tbprof.rules.base.rule import Rule
from tbprof.rules.registry import RULES


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
"""Of those that speak of all waits of a site the first takes the place of the others."""

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
