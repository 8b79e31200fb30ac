"""The sites of two windows, matched.

They match by what they are (file, function, ops, calls, direction), not by their line: code moves.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbprof.model import Report, Site, SiteIndex, fingerprint
from tbprof.records import dataclass
from tbprof.texts.figures.site_names import site_name
from tbprof.texts.screens.idle import site_location
from tbprof.views.base.times import us
from tbprof.views.source.source_files import SourceFiles

_CHANGED_SHARE = 0.1
"""A site whose wait changed by less is the same."""

SiteState: TypeAlias = Literal["gone", "new", "changed", "same"]

_ORDER: tuple[SiteState, ...] = ("gone", "new", "changed", "same")


@dataclass(frozen=True, slots=True)
class CompareSite:
    """Waits and dry times are those of a step, null where the site is not there."""

    state: SiteState
    location: str
    before_location: str
    """Where its line moved from; "" if it did not."""
    what: str
    code: str
    """Its line as it ran; "" where that was not recorded."""
    before_wait_us: float | None
    after_wait_us: float | None
    before_starve_us: float | None
    """How long the GPU had nothing to do after it."""
    after_starve_us: float | None
    before_count: float
    after_count: float
    note: str
    """What became of its wait; "" if there is nothing to say."""
    site: SiteIndex | None
    """Index into the sites of the window after; null if it is gone."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A site in its window."""

    site: Site
    index: SiteIndex
    steps: int
    code: str


def compare_sites(before: Report, after: Report) -> tuple[CompareSite, ...]:
    """One row a site of either side; of several that are alike each is matched once."""
    waiting: dict[str, list[_Found]] = {}
    for found in _sites(before):
        waiting.setdefault(_key(found.site), []).append(found)
    rows = []
    for found in _sites(after):
        alike = waiting.get(_key(found.site), [])
        rows.append(_row(alike.pop(0) if alike else None, found))
    rows += [_row(found, None) for alike in waiting.values() for found in alike]
    return tuple(sorted(rows, key=lambda row: (_ORDER.index(row.state), -_longest(row))))


def _sites(report: Report) -> list[_Found]:
    files, steps = SourceFiles(report), max(len(report.steps), 1)
    return [_Found(site, index, steps, files.line_of(site.source)) for index, site in report.indexed_sites]


def _key(site: Site) -> str:
    place = ("", "") if site.source is None else (site.source.file, site.source.function)
    return fingerprint(site.direction, *place, (*site.ops, *site.calls))


def _row(old: _Found | None, new: _Found | None) -> CompareSite:
    shown = new if new is not None else old
    assert shown is not None, "a row is about a site of one side at least"
    before_us, after_us = _wait_us(old), _wait_us(new)
    location = site_location(shown.site)
    before_location = location if old is None else site_location(old.site)
    return CompareSite(
        state=_state(before_us, after_us),
        location=location,
        before_location="" if before_location == location else before_location,
        what=site_name(shown.site),
        code=shown.code,
        before_wait_us=before_us,
        after_wait_us=after_us,
        before_starve_us=_dry_us(old),
        after_starve_us=_dry_us(new),
        before_count=_count(old),
        after_count=_count(new),
        note="",
        site=None if new is None else new.index,
    )


def _wait_us(found: _Found | None) -> float | None:
    return None if found is None else us(found.site.wait_ns) / found.steps


def _dry_us(found: _Found | None) -> float | None:
    return None if found is None else us(found.site.starve_ns) / found.steps


def _count(found: _Found | None) -> float:
    return 0 if found is None else found.site.count / found.steps


def _state(before_us: float | None, after_us: float | None) -> SiteState:
    if before_us is None:
        return "new"
    if after_us is None:
        return "gone"
    return "changed" if abs(after_us - before_us) > _CHANGED_SHARE * max(before_us, after_us) else "same"


def _longest(row: CompareSite) -> float:
    return max(row.before_wait_us or 0.0, row.after_wait_us or 0.0)
