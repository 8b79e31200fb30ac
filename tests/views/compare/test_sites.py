"""The sites of two windows, matched by what they are."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, SITE, UPLOAD, changed

from tbprof.model import Report, Site, SourceText
from tbprof.views.compared_sites import CompareSite, compare_sites


def with_sites(*sites: Site) -> Report:
    return changed(sites=sites, idle=None, findings=(), fix_plan=())


def compared(before: Report, after: Report) -> tuple[CompareSite, ...]:
    return compare_sites(before, after)


def test_sites_are_gone_new_changed_or_the_same() -> None:
    longer = dataclasses.replace(UPLOAD, wait_ns=UPLOAD.wait_ns * 2)
    other = dataclasses.replace(SITE, ops=("aten::nonzero",))
    rows = compared(with_sites(SITE, UPLOAD), with_sites(longer, other))
    assert [(row.state, row.site) for row in rows] == [("gone", None), ("new", 1), ("changed", 0)]
    assert [(row.before_starve_us is None, row.after_starve_us is None) for row in rows[:2]] == [
        (False, True),
        (True, False),
    ]


def test_waits_and_dry_times_are_those_of_a_step() -> None:
    assert len(REPORT.steps) == 3
    [row] = compared(with_sites(SITE), with_sites(SITE))
    assert (row.state, row.before_wait_us, row.after_starve_us) == ("same", 1.0, 1 / 3)


def test_a_site_whose_line_moved_is_the_same_and_says_from_where() -> None:
    assert SITE.source is not None
    moved = dataclasses.replace(SITE, source=dataclasses.replace(SITE.source, line=99))
    [row] = compared(with_sites(SITE), with_sites(moved))
    assert (row.state, row.before_location, row.location) == ("same", "train.py:12", "train.py:99")


def test_a_line_stands_beside_its_site_where_it_was_recorded() -> None:
    assert SITE.source is not None
    exact = dataclasses.replace(SITE, source=dataclasses.replace(SITE.source, exact=True, candidates=()))
    known = dataclasses.replace(
        with_sites(exact), sources=(SourceText("train.py", 11, "step()\n    total += loss.item()\n"),)
    )
    assert [row.code for row in compared(known, known)] == ["total += loss.item()"]
    assert [row.code for row in compared(with_sites(SITE), with_sites(SITE))] == [""]
