"""The sites of two windows, matched.

They match by what they are (file, function, ops, calls, direction), not by their line: code moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.model import Report, Site, fingerprint
from tbprof.views.sentences import Sentences
from tbprof.views.times import us

__all__ = ["CompareSite", "MovedWait", "compare_sites", "moved_wait"]

_CHANGED_SHARE = 0.1
"""A site whose wait changed by less is the same."""

_MOVED_FOLD = 2
"""What one site loses and another gains is one wait where neither is more than so many times the other."""


@dataclass(frozen=True, slots=True)
class CompareSite:
    """Waits are those of a step, null where the site is not there."""

    state: Literal["gone", "new", "changed", "same"]
    location: str
    what: str
    before_wait_us: float | None
    after_wait_us: float | None
    before_count: float
    after_count: float
    site: int | None
    """Index into the sites of the window after; null if it is gone."""


@dataclass(frozen=True, slots=True)
class MovedWait:
    """Where the host waited before, where it waits now, and how much longer that is in all."""

    source: str
    target: str
    net_us: float


def _key(site: Site) -> str:
    place = ("", "") if site.source is None else (site.source.file, site.source.function)
    return fingerprint(site.direction, *place, (*site.ops, *site.calls))


_ORDER = ("gone", "new", "changed", "same")


def compare_sites(before: Report, after: Report, sentences: Sentences) -> tuple[CompareSite, ...]:
    """One row a site of either side; of several that are alike each is matched once."""
    waiting: dict[str, list[Site]] = {}
    for site in before.sites:
        waiting.setdefault(_key(site), []).append(site)
    rows = []
    for index, site in enumerate(after.sites):
        alike = waiting.get(_key(site), [])
        old = alike.pop(0) if alike else None
        rows.append(_row(old, site, index, (before, after), sentences))
    gone = (site for alike in waiting.values() for site in alike)
    rows += [_row(site, None, None, (before, after), sentences) for site in gone]
    return tuple(sorted(rows, key=lambda row: (_ORDER.index(row.state), -_longest(row))))


def _row(
    old: Site | None, new: Site | None, index: int | None, sides: tuple[Report, Report], sentences: Sentences
) -> CompareSite:
    shown = new if new is not None else old
    assert shown is not None, "a row is about a site of one side at least"
    steps = [max(len(side.steps), 1) for side in sides]
    waits = [
        None if site is None else us(site.wait_ns) / count
        for site, count in zip((old, new), steps, strict=True)
    ]
    return CompareSite(
        state=_state(*waits),
        location=sentences.location(shown),
        what=sentences.site(shown),
        before_wait_us=waits[0],
        after_wait_us=waits[1],
        before_count=0 if old is None else old.count / steps[0],
        after_count=0 if new is None else new.count / steps[1],
        site=index,
    )


def _state(before_us: float | None, after_us: float | None) -> Literal["gone", "new", "changed", "same"]:
    if before_us is None:
        return "new"
    if after_us is None:
        return "gone"
    return "changed" if abs(after_us - before_us) > _CHANGED_SHARE * max(before_us, after_us) else "same"


def _longest(row: CompareSite) -> float:
    return max(row.before_wait_us or 0.0, row.after_wait_us or 0.0)


def moved_wait(sites: tuple[CompareSite, ...]) -> MovedWait | None:
    """The wait that most left one site and came back at another; None if most of it stayed away.

    Only a change of about the same size is the same wait: where the other site gained more than
    it could have taken over, its wait is its own.
    """
    lost, source = max(((-_grown_us(row), row.location) for row in sites), default=(0.0, ""))
    gained, target = max(((_grown_us(row), row.location) for row in sites), default=(0.0, ""))
    all_us = sum(row.before_wait_us or 0.0 for row in sites)
    is_same = lost / _MOVED_FOLD <= gained <= lost * _MOVED_FOLD and source != target
    return MovedWait(source, target, gained - lost) if lost > _CHANGED_SHARE * all_us and is_same else None


def _grown_us(row: CompareSite) -> float:
    return (row.after_wait_us or 0.0) - (row.before_wait_us or 0.0)
