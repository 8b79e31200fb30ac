"""Which finding speaks where several rules found the same waits: the first of a list.

A rule knows nothing of the others. That a loop of reads, or the read of a GradScaler, is also a
read of a scalar is settled here, once.
"""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.model import Finding

__all__ = ["BUNDLES", "settle"]

_MOST_SPECIFIC_FIRST = (
    "SYN12",
    "SYN08",
    "SYN09",
    "SYN05",
    "SYN07",
    "SYN06",
    "SYN03",
    "SYN02",
    "SYN01",
    "SYN04",
    "CPY02",
    "CPY04",
    "CPY05",
    "CPY03",
)
"""Of those that speak of all waits of a site the first takes the place of the others."""

_SPOILS_ALL = "SYN11"
"""With every launch blocking, no wait of the window is one that the program would have."""

BUNDLES = frozenset({"SYN10"})
"""Findings about several others together: rows of a plan only where those are not (`plan_candidates`)."""


def settle(findings: Sequence[Finding], site_counts: Sequence[int]) -> list[Finding]:
    """The findings without those that repeat another, in the same order.

    Args:
        findings: Of all rules.
        site_counts: Of each site the number of its episodes. A finding about a part of them takes
            nobody's place.
    """
    if any(finding.rule == _SPOILS_ALL for finding in findings):
        return [f for f in findings if f.rule == _SPOILS_ALL or not f.rule.startswith("SYN")]
    taken: dict[int, str] = {}
    for rule in _MOST_SPECIFIC_FIRST:
        for finding in findings:
            if finding.rule == rule and finding.count == sum(site_counts[i] for i in finding.sites):
                for site in finding.sites:
                    taken.setdefault(site, rule)
    return [finding for finding in findings if not _repeats(finding, taken)]


def _repeats(finding: Finding, taken: dict[int, str]) -> bool:
    """Whether more specific findings have all its sites."""
    if finding.rule not in _MOST_SPECIFIC_FIRST or not finding.sites:
        return False
    rank = _MOST_SPECIFIC_FIRST.index
    return all(site in taken and rank(taken[site]) < rank(finding.rule) for site in finding.sites)
