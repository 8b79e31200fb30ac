"""Windows side by side: ranks, and windows over the training."""

from __future__ import annotations

import dataclasses

import pytest
import scenes
from communication_scenes import exchanging
from report_samples import REPORT

from tbprof.model import Window
from tbprof.views.outstanding import MOST_ROWS
from tbprof.views.series import SeriesRow, WindowFigures
from tbprof.views.series_views import (
    RANKS_OF_A_PAGE,
    figures_of,
    ranks_view,
    series_row,
    step_change,
    trend_view,
)

FIGURES = dataclasses.replace(figures_of(REPORT), rank=None)


def window(worker: str) -> Window:
    return Window("run", worker, f"{worker}.1", 1, "x", None, 1)


def row(worker: str, figures: WindowFigures | None = FIGURES, number: int = 1) -> SeriesRow:
    return series_row(window(worker), number, figures)


def rank(number: int, *, idle: float, wait_us: float, world: int | None = None) -> SeriesRow:
    figures = dataclasses.replace(FIGURES, idle_share=idle, wait_us=wait_us, world_size=world)
    return row(f"host_1_rank{number}", figures)


def test_figures_are_means_of_the_steady_steps() -> None:
    shown = figures_of(scenes.host_bound().report())
    assert (shown.steps, shown.step_us, shown.sync_points, shown.wait_us) == (4, 1000.0, 1.0, 322.0)
    assert shown.idle_share == pytest.approx(0.508)
    assert sum(cause.idle_us for cause in shown.causes) == pytest.approx(508)


def test_a_row_is_read_or_broken_or_there() -> None:
    assert row("w").state == "ready"
    assert row("w", None).state == "reading"
    assert series_row(window("w"), 1, problem="damaged").state == "broken"


def test_ranks_come_in_their_order() -> None:
    shown = ranks_view([row("n_rank10"), row("a"), row("n_rank2")])
    assert [one.worker for one in shown.rows] == ["n_rank2", "n_rank10", "a"]


def test_the_rank_that_waits_longest_may_be_the_least_idle() -> None:
    rows = [rank(0, idle=0.49, wait_us=2_100), rank(1, idle=0.34, wait_us=7_600)]
    shown = ranks_view(rows)
    assert shown.verdict == "Waits differ 4-fold, and rank 1, which waits longest, is the least idle."
    assert "by GPU idle, not by waits" in shown.detail


def test_else_the_most_and_the_least_idle_are_named() -> None:
    rows = [rank(0, idle=0.49, wait_us=2_100), rank(1, idle=0.34, wait_us=2_000)]
    assert ranks_view(rows).verdict.startswith("Rank 0 is idle most, 49\u202f% of the time")


def test_ranks_that_are_idle_alike_are_not_set_against_each_other() -> None:
    rows = [rank(0, idle=0.3401, wait_us=2_000), rank(1, idle=0.3404, wait_us=2_000)]
    assert ranks_view(rows).verdict == "All ranks are idle alike: 34\u202f% of the time."


def test_ranks_of_one_share_are_named_together() -> None:
    shares = (0.4902, 0.3, 0.4899, 0.1, 0.1)
    shown = ranks_view([rank(at, idle=idle, wait_us=2_000) for at, idle in enumerate(shares)])
    assert shown.verdict == (
        "Ranks 0 and 2 are idle most, 49\u202f% of the time; ranks 3 and 4 least, 10\u202f%."
    )
    many = ranks_view([rank(at, idle=0.5 if at < 8 else 0.1, wait_us=2_000) for at in range(10)])
    assert many.verdict.startswith("8 of 10 ranks are idle most")


def test_one_of_several_that_wait_longest_is_not_picked_out() -> None:
    rows = [rank(0, idle=0.1, wait_us=7_600), rank(1, idle=0.2, wait_us=7_601), rank(2, idle=0.4, wait_us=10)]
    assert ranks_view(rows).verdict.startswith("Rank 2 is idle most")


def test_without_ranks_they_are_workers() -> None:
    idle, busy = (dataclasses.replace(FIGURES, idle_share=share) for share in (0.4, 0.1))
    shown = ranks_view([row("a", idle), row("b", busy)])
    assert shown.verdict.startswith("Worker a is idle most, 40\u202f% of the time; worker b least")
    assert "compare workers by GPU idle" in shown.detail


def test_a_worker_that_is_called_one_is_called_so_once() -> None:
    def worker(name: str, idle: float, wait_us: float) -> SeriesRow:
        return row(name, dataclasses.replace(FIGURES, idle_share=idle, wait_us=wait_us))

    shown = ranks_view([worker("worker0", 0.49, 2_100), worker("worker1", 0.34, 7_600)])
    assert shown.verdict == "Waits differ 4-fold, and worker1, which waits longest, is the least idle."
    shown = ranks_view([worker("worker0", 0.49, 2_000), worker("worker1", 0.34, 2_000)])
    assert shown.verdict.startswith("worker0 is idle most, 49\u202f% of the time; worker1 least")
    several = [worker(f"worker{at}", 0.5 if at < 2 else 0.1, 2_000) for at in range(4)]
    assert ranks_view(several).verdict == (
        "worker0 and worker1 are idle most, 50\u202f% of the time; worker2 and worker3 least, 10\u202f%."
    )
    mixed = ranks_view([worker("worker0", 0.5, 2_000), worker("b", 0.5, 2_000), worker("c", 0.1, 2_000)])
    assert mixed.verdict.startswith("Workers b and worker0 are idle most")
    short = ranks_view([worker("w", 0.5, 2_000), worker("v", 0.1, 2_000)])
    assert short.verdict.startswith("Worker w is idle most")


def test_ranks_that_are_not_there_are_named() -> None:
    shown = ranks_view([rank(0, idle=0.1, wait_us=1, world=4), rank(2, idle=0.1, wait_us=1)])
    assert shown.missing.startswith("Not recorded: rank 1, 3.")
    gap = ranks_view([rank(0, idle=0.1, wait_us=1), rank(2, idle=0.1, wait_us=1)])
    assert gap.missing.startswith("Not recorded: rank 1.")
    assert ranks_view([rank(0, idle=0.1, wait_us=1)]).missing == ""


def test_workers_without_a_rank_are_those_that_seem_to_be_missing() -> None:
    rows = [rank(at, idle=0.1, wait_us=1, world=4) for at in range(2)]
    broken = [series_row(window(name), 1, problem="damaged") for name in ("a", "b")]
    assert ranks_view([*rows, *broken]).missing == ""
    assert ranks_view([*rows, *broken[:1]]).missing.startswith("Not recorded: rank 2, 3.")


def test_of_many_ranks_those_that_stand_out_are_shown_and_the_others_on_demand() -> None:
    odd = {7: (0.9, 100.0), 500: (0.1, 9_000.0)}
    rows = [
        rank(at, idle=odd.get(at, (0.5, 0.0))[0] + at / 1e6, wait_us=odd.get(at, (0, 1_000.0 + at))[1])
        for at in range(1_000)
    ]
    damaged = dataclasses.replace(FIGURES, is_damaged=True)
    rows[300] = row("host_1_rank300", damaged)
    rows[301] = series_row(window("host_1_rank301"), 1, problem="nothing")
    shown = ranks_view(rows[::-1])
    ranks = [one.rank for one in shown.rows]
    assert {7, 300, 301, 500} <= set(ranks)
    assert ranks == sorted(ranks)  # type: ignore[type-var]
    assert len(ranks) <= MOST_ROWS < shown.total == 1_000
    assert shown.damaged.startswith("Damaged: rank 300,")
    waits = next(spread for spread in shown.spreads if spread.figure == "wait_us")
    assert (waits.least, waits.most) == (100.0, 9_000.0)
    assert 1_400 < waits.median < 1_600
    part = ranks_view(rows, 512)
    assert [one.rank for one in part.rows] == list(range(512, 512 + RANKS_OF_A_PAGE))
    assert ranks_view(rows[:3]).spreads == ()


def test_nothing_is_said_of_all_while_one_is_read() -> None:
    rows = [rank(0, idle=0.1, wait_us=1, world=4), row("w", None)]
    shown = ranks_view(rows)
    assert (shown.missing, shown.verdict) == ("", "1 of 2 windows read so far.")
    assert trend_view(rows, 0).verdict == "1 of 2 windows read so far."


def test_a_rank_that_only_the_trace_tells_counts() -> None:
    assert row("worker7_step_12", dataclasses.replace(FIGURES, rank=7)).rank == 7
    assert row("n_rank2", dataclasses.replace(FIGURES, rank=7)).rank == 2


def test_a_lasting_change_of_the_step_is_found_where_it_began() -> None:
    change = step_change([100, 101, 99, 100, 130, 131, 129, 130])
    assert change is not None
    assert (change.row, change.before_us, change.after_us) == (4, 100, 130)


@pytest.mark.parametrize(
    "steps",
    [
        [100, 101, 99, 100, 101, 100, 99],
        [100, 130, 100, 130, 100, 130, 100, 130],
        [100, 100, 100, 130, 130],
        [],
    ],
    ids=["steady", "noise", "too short", "none"],
)
def test_what_does_not_last_or_stand_out_is_no_change(steps: list[float]) -> None:
    assert step_change(steps) is None


def test_a_trend_names_the_window_since_which_steps_are_longer() -> None:
    lengths = (100.0, 100.0, 100.0, 150.0, 150.0, 150.0)
    rows = [
        row("w", dataclasses.replace(FIGURES, step_us=length * 1000), number)
        for number, length in enumerate(lengths, start=5)
    ]
    shown = trend_view(rows, 4)
    assert shown.verdict == (
        "Steps are 50\u202f% longer since window 8: 150.0\u202fms instead of 100.0\u202fms."
    )
    assert shown.left_out == 4


def test_no_change_says_what_would_be_one() -> None:
    steady = trend_view([row("w", number=number) for number in range(6)], 0)
    assert steady.verdict == "No lasting change in step time over 6 windows."


def test_a_few_windows_show_no_change() -> None:
    steps = [dataclasses.replace(FIGURES, step_us=step_us) for step_us in (174_800.0, 153_000.0)]
    shown = trend_view([row("w", figures, number) for number, figures in enumerate(steps, start=1)], 0)
    assert shown.verdict == (
        "A step takes 153.0\u202fms in the last of 2 windows, 174.8\u202fms in the first: "
        "too few to tell a lasting change."
    )
    assert trend_view([row("w")], 0).verdict.endswith("one window shows no change.")


def test_communication_is_a_figure_of_its_own() -> None:
    assert figures_of(exchanging(2_000).report()).communication_us == 2_000.0
    assert figures_of(scenes.host_bound().report()).communication_us == 0.0
