"""Findings of one rule that are alike, such as two reads in one function, told apart by their lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeAlias

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.model import Finding, disambiguated

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
