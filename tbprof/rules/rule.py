"""What a rule is, and the parts of a finding that all rules make alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.savings import saving_of
from tbprof.analysis.steps import OUTSIDE
from tbprof.model import Evidence, Finding, Numbers, Removal, fingerprint
from tbprof.rules.severity import severity_of

__all__ = ["Need", "Rule", "site_finding"]

_MAX_EVIDENCE = 3


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a trace must hold for a rule to say anything."""

    name: str
    """Completes "not checked: no ... recorded"."""
    is_met: Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    name: str
    needs: tuple[Need, ...]
    find: Callable[[Facts], Iterator[Finding]]
    doc: str
    """The rule's page, as written in its file."""


def site_finding(
    facts: Facts, site_index: int, *, rule: str, removal: Removal, numbers: Numbers
) -> Finding:
    """The finding that one site is, with its bracket, its steps and its longest waits."""
    site = facts.sites[site_index]
    members = site.members
    steps = np.unique(facts.episodes.step[members])
    saving = saving_of(facts, members, removal)
    source = site.source
    return Finding(
        rule=rule,
        severity=severity_of(facts, saving),
        sites=(site_index,),
        steps=tuple(steps[steps != OUTSIDE].tolist()),
        count=len(members),
        removal=removal,
        saving=saving,
        confidence="high" if source is not None else "medium",
        evidence=_longest(facts, members),
        numbers=numbers,
        fingerprint=fingerprint(
            rule,
            "" if source is None else source.file,
            "" if source is None else source.function,
            site.ops,
        ),
    )


def _longest(facts: Facts, members: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    episodes = facts.episodes
    wait = episodes.wait_ns[members]
    longest = members[np.argsort(-wait, kind="stable")[:_MAX_EVIDENCE]]
    origin = facts.origin_ns
    return tuple(
        Evidence(
            kind="wait",
            start_ns=int(episodes.start_ns[i]) - origin,
            duration_ns=int(episodes.wait_ns[i]),
            step=None if episodes.step[i] == OUTSIDE else int(episodes.step[i]),
            row=int(facts.calls.rows[episodes.first[i]]),
        )
        for i in longest.tolist()
    )
