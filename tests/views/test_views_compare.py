"""Two windows beside each other."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, SITE, UPLOAD, changed, step

from tbprof.model import Report, Site
from tbprof.texts.english import English
from tbprof.views.compare import CompareView, compare_view


def with_steps(*lengths_ns: int) -> Report:
    return changed(steps=tuple(step(number, length) for number, length in enumerate(lengths_ns)))


def with_sites(*sites: Site) -> Report:
    return changed(sites=sites, idle=None, findings=(), fix_plan=())


def compared(before: Report, after: Report) -> CompareView:
    return compare_view(before, after, English())


def test_a_difference_out_of_the_noise_is_told() -> None:
    before = with_steps(10_000_000, 10_100_000, 9_900_000)
    after = with_steps(8_000_000, 8_100_000, 7_900_000)
    assert compared(before, after).verdict == (
        "A step is 20\u202f% shorter: 10.0\u202fms before, 8.0\u202fms after."
    )


def test_a_difference_within_the_noise_is_none() -> None:
    shown = compared(with_steps(10_000_000, 8_000_000), with_steps(8_500_000, 9_000_000))
    assert shown.verdict.startswith("No difference of the step that can be told from noise")


def test_one_step_each_tells_nothing() -> None:
    assert "noise" in compared(with_steps(10_000_000), with_steps(5_000_000)).verdict


def test_without_steps_there_is_nothing_to_compare() -> None:
    bare = changed(steps=(), sites=(), idle=None, findings=(), fix_plan=())
    assert compared(bare, bare).verdict == "One of the two windows has no steps to compare."


def test_sites_are_gone_new_changed_or_the_same() -> None:
    longer = dataclasses.replace(UPLOAD, wait_ns=UPLOAD.wait_ns * 2)
    other = dataclasses.replace(SITE, ops=("aten::nonzero",))
    shown = compared(with_sites(SITE, UPLOAD), with_sites(longer, other))
    assert [(row.state, row.site) for row in shown.sites] == [("gone", None), ("new", 1), ("changed", 0)]


def test_a_site_whose_line_moved_is_the_same() -> None:
    assert SITE.source is not None
    moved = dataclasses.replace(SITE, source=dataclasses.replace(SITE.source, line=99))
    [row] = compared(with_sites(SITE), with_sites(moved)).sites
    assert (row.state, row.location) == ("same", "train.py:99")


def test_a_wait_that_moved_is_named() -> None:
    longer = dataclasses.replace(UPLOAD, ops=("aten::copy_",), wait_ns=UPLOAD.wait_ns + SITE.wait_ns)
    before = with_sites(SITE, dataclasses.replace(UPLOAD, ops=("aten::copy_",)))
    shown = compared(before, with_sites(longer))
    assert shown.detail == "The wait moved to aten::copy_: judge by the step, not by waits."


def test_what_else_is_different_is_said() -> None:
    assert REPORT.facts is not None
    newer = changed(facts=dataclasses.replace(REPORT.facts, torch_version="2.10.0"))
    [row] = compared(REPORT, newer).differences
    assert (row.name, row.before, row.after) == ("torch", "2.9.0", "2.10.0")
    assert compared(REPORT, changed(facts=None)).differences == ()


def test_figures_stand_beside_each_other() -> None:
    figures = {row.name: row for row in compared(REPORT, changed(idle=None)).figures}
    assert (figures["Step"].before, figures["Step"].after) == (4000.0, 4000.0)
    assert figures["Sync points"].before == 1
    assert not figures["Sync points"].is_time
