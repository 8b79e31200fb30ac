"""Two windows beside each other."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, SITE, UPLOAD, changed, step

from tbprof.model import Report, Site
from tbprof.texts.english import English
from tbprof.views.compare import CompareView, compare_view


def with_steps(*lengths_ns: int) -> Report:
    return changed(steps=tuple(step(number, length) for number, length in enumerate(lengths_ns)))


def timed(median_ns: int, low_ns: int, high_ns: int) -> Report:
    """With steps that the hook timed without the profiler."""
    assert REPORT.facts is not None
    quartiles = (low_ns, high_ns)
    facts = dataclasses.replace(
        REPORT.facts, unprofiled_step_ns=median_ns, unprofiled_quartiles_ns=quartiles
    )
    return changed(facts=facts)


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


def test_one_step_on_a_side_does_not_tell_the_noise() -> None:
    shown = compared(with_steps(4_400_000), with_steps(600_000_000, 700_000_000))
    assert shown.verdict == (
        "A single steady step does not tell the noise: 4.4\u202fms before, 650.0\u202fms after."
    )
    assert shown.steps is not None
    assert (shown.steps.before.low_us, shown.steps.after.low_us) == (None, 600_000.0)


def test_steps_without_the_profiler_are_preferred_where_both_sides_have_them() -> None:
    before, after = timed(3_000_000, 2_900_000, 3_100_000), timed(2_000_000, 1_900_000, 2_100_000)
    shown = compared(before, after)
    assert shown.steps is not None
    assert shown.steps.is_unprofiled
    assert (shown.steps.after.low_us, shown.steps.after.high_us) == (1_900.0, 2_100.0)
    assert shown.verdict.endswith("3.0\u202fms before, 2.0\u202fms after, without the profiler.")
    recorded = compared(before, REPORT).steps
    assert recorded is not None
    assert not recorded.is_unprofiled
    assert recorded.before.steps_us == (3_000.0, 5_000.0)


def test_medians_within_the_quartiles_are_no_difference() -> None:
    before, after = timed(3_000_000, 2_500_000, 3_100_000), timed(2_600_000, 2_500_000, 2_700_000)
    assert compared(before, after).verdict.startswith("No difference")


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


def test_a_wait_that_moved_is_named_with_both_places_and_the_net() -> None:
    longer = dataclasses.replace(UPLOAD, ops=("aten::copy_",), wait_ns=UPLOAD.wait_ns + SITE.wait_ns)
    before = with_sites(SITE, dataclasses.replace(UPLOAD, ops=("aten::copy_",)))
    assert compared(before, with_sites(longer)).detail == (
        "The wait moved from train.py:12 to aten::copy_: net 0. Judge by the step, not by waits."
    )


def test_a_wait_that_is_new_at_another_line_moved_there() -> None:
    assert SITE.source is not None
    later = dataclasses.replace(SITE.source, line=77, function="log")
    after = with_sites(dataclasses.replace(SITE, source=later, wait_ns=SITE.wait_ns - 600))
    detail = compared(with_sites(SITE), after).detail
    assert detail.startswith("The wait moved from train.py:12 to train.py:77: net 0")


def test_a_wait_that_grew_by_far_more_did_not_move() -> None:
    other = dataclasses.replace(UPLOAD, ops=("aten::copy_",), wait_ns=10 * SITE.wait_ns)
    assert compared(with_sites(SITE), with_sites(other)).detail == ""
    assert compared(with_sites(SITE), with_sites(SITE)).detail == ""


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


def test_kernels_and_launches_are_means_of_the_steps_that_have_them() -> None:
    one, other = (dataclasses.replace(step(n, 5_000_000), kernels=n, launches=2) for n in (300, 305))
    figures = {row.name: row for row in compared(changed(steps=(one, other)), REPORT).figures}
    assert (figures["Kernels"].before, figures["Launches"].before) == (302.5, 2)
    assert figures["Kernels"].after is None
