"""The figures of two windows, beside each other."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed, step

from tbprof.model import Report
from tbprof.views.compared_figures import CompareFigure, compare_figures


def compared(before: Report, after: Report) -> dict[str, CompareFigure]:
    return {row.name: row for row in compare_figures(before, after, is_told=True)}


def test_figures_come_with_their_change_and_what_it_means() -> None:
    figures = compared(REPORT, changed(steps=(step(0, 3_000_000),)))
    row = figures["Step, mean"]
    assert (row.before, row.after, row.change, row.change_share) == (4000.0, 3000.0, -1000.0, -0.25)
    assert row.means == "what a change gives; the plan before said \u2212<1\u202f\u00b5s"
    assert (figures["Sync points"].before, figures["Sync points"].kind) == (1, "count")


def test_causes_stand_below_the_idle_they_are_part_of() -> None:
    idle = dataclasses.replace(step(0, 5_000_000), idle_by_cause={"sync": 2_000_000})
    figures = compared(changed(steps=(idle,)), changed(steps=(step(0, 5_000_000),)))
    names = list(figures)
    assert names[names.index("GPU idle") + 1] == "Refilling after a sync"
    cause = figures["Refilling after a sync"]
    assert (cause.is_part, cause.before, cause.after, cause.change_share) == (True, 2000.0, 0.0, -1.0)


def test_what_got_shorter_is_better_and_what_hardly_changed_is_neither() -> None:
    before, after = (
        dataclasses.replace(step(0, length), idle_by_cause={"sync": sync, "data": 100_000})
        for length, sync in ((5_000_000, 2_000_000), (4_000_000, 500_000))
    )
    figures = compared(changed(steps=(before,)), changed(steps=(after,)))
    assert (figures["Step, mean"].judged, figures["Refilling after a sync"].judged) == ("better", "better")
    assert (figures["Waiting for data"].judged, figures["Host waits"].judged) == ("", "")
    unsure = compare_figures(changed(steps=(before,)), changed(steps=(after,)), is_told=False)
    assert unsure[0].judged == ""
    back = compared(changed(steps=(after,)), changed(steps=(before,)))
    assert back["Refilling after a sync"].judged == "worse"


def test_communication_stands_there_where_a_device_was_exposed_to_it() -> None:
    before, after = (
        dataclasses.replace(step(0, 5_000_000), communication_exposed_ns=ns) for ns in (2_000_000, 500_000)
    )
    row = compared(changed(steps=(before,)), changed(steps=(after,)))["Communication nothing covers"]
    assert (row.before, row.after, row.judged) == (2000.0, 500.0, "better")
    assert "Communication nothing covers" not in compared(REPORT, REPORT)


def test_what_was_not_recorded_is_none_and_has_no_change() -> None:
    figures = compared(changed(steps=()), REPORT)
    assert {figures[name].before for name in ("Step, mean", "Host waits", "GPU idle", "Kernels")} == {None}
    assert figures["Step, mean"].change is None


def test_kernels_and_launches_are_means_of_the_steps_that_have_them() -> None:
    one, other = (dataclasses.replace(step(n, 5_000_000), kernels=n, launches=2) for n in (300, 305))
    figures = compared(changed(steps=(one, other)), REPORT)
    assert (figures["Kernels"].before, figures["Launches"].before) == (302.5, 2)
    assert figures["Kernels"].after is None
