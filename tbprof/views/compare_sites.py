"""The sites of two windows, matched.

They match by what they are (file, function, ops, calls, direction), not by their line: code moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.model import Report, Site, fingerprint
from tbprof.views.sentences import Sentences
from tbprof.views.times import us

__all__ = ["CompareSite", "compare_sites", "moved_to"]

_CHANGED_SHARE = 0.1
"""A site whose wait changed by less is the same."""


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


def moved_to(sites: tuple[CompareSite, ...]) -> str:
    """The site that waits longer by at least half of what the gone ones waited; "" if none does."""
    gone_us = sum(row.before_wait_us or 0.0 for row in sites if row.state == "gone")
    grown = [
        (row.after_wait_us - row.before_wait_us, row.location)
        for row in sites
        if row.after_wait_us is not None and row.before_wait_us is not None
    ]
    most_us, location = max(grown, default=(0.0, ""))
    return location if gone_us > 0 and most_us >= gone_us / 2 else ""
