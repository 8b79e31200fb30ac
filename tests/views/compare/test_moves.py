"""A wait that left one line for another."""

from __future__ import annotations

import dataclasses

from report_samples import SITE, UPLOAD, changed

from tbprof.model import Site
from tbprof.views.compared_sites import compare_sites
from tbprof.views.comparison import MovedWait, moved_wait

COPY = dataclasses.replace(UPLOAD, ops=("aten::copy_",))


def moved(before: tuple[Site, ...], after: tuple[Site, ...]) -> MovedWait | None:
    reports = (changed(sites=sites, idle=None, findings=(), fix_plan=()) for sites in (before, after))
    return moved_wait(compare_sites(*reports))


def test_a_wait_that_another_site_took_over_has_both_places_and_the_net() -> None:
    longer = dataclasses.replace(COPY, wait_ns=COPY.wait_ns + SITE.wait_ns)
    found = moved((SITE, COPY), (longer,))
    assert found is not None
    assert (found.source, found.target, found.net_us, found.taken_us) == (
        "train.py:12",
        "aten::copy_",
        0.0,
        1.0,
    )


def test_what_a_new_site_took_over_is_at_most_what_it_waits() -> None:
    found = moved((SITE,), (dataclasses.replace(COPY, wait_ns=SITE.wait_ns // 2),))
    assert found is not None
    assert (found.net_us, found.taken_us) == (-0.5, 0.5)


def test_a_wait_that_grew_by_far_more_did_not_move() -> None:
    assert moved((SITE,), (dataclasses.replace(COPY, wait_ns=10 * SITE.wait_ns),)) is None


def test_where_nothing_changed_nothing_moved() -> None:
    assert moved((SITE,), (SITE,)) is None
    assert moved((), ()) is None
