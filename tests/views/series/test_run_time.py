"""Where the time of a whole run goes: ranks, restarts, and what is said first."""

from __future__ import annotations

import dataclasses

import pytest
from run_time_scene import FIRST, HOUR, SECOND
from source_scene import known_training

from tbprof.model.run_time import PartTime, RunTime
from tbprof.views.lost_time import idle_share
from tbprof.views.run_time_view import run_time_view


def hours(*times: RunTime) -> dict[str, float]:
    return {row.part: row.us * 1e3 / HOUR for row in run_time_view(times).parts}


def test_a_run_that_broke_off_goes_on_and_does_steps_again() -> None:
    view = run_time_view((SECOND, FIRST))
    assert hours(SECOND, FIRST) == pytest.approx(
        {"steps": 6, "checkpoint": 0.5, "evaluation": 0.5, "start": 1, "restart": 2}
    )
    assert view.wall_us * 1e3 == pytest.approx(10 * HOUR)
    lost = "20 % restarts, 10 % the start, 5.0 % checkpoints"
    said = view.headline.replace("\u202f", " ")
    assert said == f"Of 10.0 h since the start, 60 % were steps as usual; {lost}."
    assert view.comes_first and view.goodput == pytest.approx(0.6)
    assert [advice.split(",")[0] for advice in view.advice] == [
        "Restarts",
        "Start",
        "Checkpoints",
        "Evaluation",
    ]
    assert "longest at train.py:212 evaluate: evaluate less often" in view.advice[-1]
    assert [(row.step, row.place) for row in view.pauses] == [(1500, "train.py:212 evaluate")]


@pytest.mark.parametrize(
    "before",
    [
        dataclasses.replace(FIRST, end="closed"),
        dataclasses.replace(FIRST, rank=1),
        dataclasses.replace(FIRST, began_ns=FIRST.began_ns - 48 * HOUR),
    ],
    ids=["closed", "another rank", "days before"],
)
def test_what_is_over_before_is_another_run(before: RunTime) -> None:
    assert hours(before, SECOND) == pytest.approx({"steps": 4, "start": 1})


def test_the_figures_of_ranks_are_means_and_gpu_hours_sums() -> None:
    other = dataclasses.replace(
        FIRST, rank=1, worker="node1_8_rank1", parts=(PartTime("steps", 4 * HOUR, 3000),)
    )
    view = run_time_view((FIRST, other))
    [steps] = [row for row in view.parts if row.part == "steps"]
    assert (steps.us * 1e3 / HOUR, steps.gpu_h, steps.count) == (pytest.approx(3.5), pytest.approx(7), 6000)
    assert view.sentences == ("Means over 2 processes.",)


def test_idle_time_of_windows_is_a_part_of_the_steps_and_decides_what_is_first() -> None:
    report = known_training()
    idle = idle_share(report) or 0.0
    view = run_time_view((FIRST,), (report,))
    parts = {row.part: row.share for row in view.parts}
    assert idle > 0.4
    assert parts["idle"] == pytest.approx(0.75 * idle)
    assert parts["steps"] == pytest.approx(0.75 * (1 - idle))
    assert sum(parts.values()) == pytest.approx(1)
    assert not view.comes_first
    assert "less than the GPU's idle time within them" in view.sentences[0]


def test_steps_that_take_far_longer_and_are_in_no_window_are_said() -> None:
    report = known_training()
    rollouts = dataclasses.replace(
        FIRST,
        parts=(PartTime("steps", HOUR, 800), PartTime("slow", 6 * HOUR, 10)),
        step_ns=HOUR // 800,
    )
    [said] = [one for one in run_time_view((rollouts,), (report,)).sentences if one.startswith("One step")]
    assert said.startswith("One step in about 80 takes 481 times as long as the others")
    first, *others = report.steps
    longer = dataclasses.replace(first, duration_ns=3 * first.duration_ns)
    recorded = dataclasses.replace(report, steps=(*others, longer))
    for times, reports in (
        ((rollouts,), (recorded,)),
        ((rollouts,), ()),
        (
            (dataclasses.replace(rollouts, parts=(PartTime("steps", HOUR, 800), PartTime("slow", HOUR, 1))),),
            (report,),
        ),
    ):
        assert not any(one.startswith("One step") for one in run_time_view(times, reports).sentences)


def test_the_start_of_a_short_run_is_not_said_first() -> None:
    short = dataclasses.replace(
        FIRST, wall_ns=HOUR // 10, parts=(PartTime("steps", HOUR // 20, 50), PartTime("start", HOUR // 20, 1))
    )
    assert not run_time_view((short,)).comes_first
    assert run_time_view(()).headline == ""
