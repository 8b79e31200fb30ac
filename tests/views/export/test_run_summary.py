"""Runs in one row each: the one first whose GPUs are idle most."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed
from scenes import gpu_bound, host_bound

from tbprof.model import Report, Window
from tbprof.views.run_summary import idle_share, run_summaries

IDLE, BUSY = host_bound().report(), gpu_bound().report()


def window(run: str, worker: str = "w", order_ns: int = 1) -> Window:
    return Window(run, worker, f"{worker}.{order_ns}", order_ns, None, None, 0)


def test_the_run_whose_gpus_are_idle_most_comes_first() -> None:
    rows = run_summaries([(window("busy"), BUSY), (window("idle"), IDLE)])
    assert [row.run for row in rows] == ["idle", "busy"]
    first = rows[0]
    assert (first.ranks, first.steps, first.idle_share) == (1, len(IDLE.steps), idle_share(IDLE))
    assert first.first_action
    assert first.saves_us is not None
    assert first.opening.startswith("The GPU is idle 51")


def test_of_a_worker_the_newest_window_counts_and_each_rank_adds_its_gpu() -> None:
    eight = [(window("eight", f"w_rank{rank}"), IDLE) for rank in range(8)]
    fixed = [(window("fixed", order_ns=2), BUSY), (window("fixed", order_ns=1), IDLE)]
    rows = run_summaries([(window("one"), IDLE), *eight, *fixed])
    assert [(row.run, row.ranks) for row in rows] == [("eight", 8), ("one", 1), ("fixed", 1)]
    assert rows[2].idle_share == idle_share(BUSY)


def test_of_several_trainings_into_one_folder_the_last_one_counts() -> None:
    before = [(window("run", f"host_1_rank{rank}", order_ns=1), IDLE) for rank in range(2)]
    after = [(window("run", f"host_7_rank{rank}", order_ns=2), BUSY) for rank in range(2)]
    (row,) = run_summaries([*after, *before])
    assert (row.ranks, row.idle_share) == (2, idle_share(BUSY))


def test_a_rank_that_was_copied_under_another_name_is_one_rank() -> None:
    third = dataclasses.replace(IDLE, trace=dataclasses.replace(IDLE.trace, rank=3))
    (row,) = run_summaries([(window("run", "a"), third), (window("run", "copy_of_a"), third)])
    assert (row.ranks, row.rank) == (1, 3)


def test_of_several_ranks_the_most_idle_one_says_what_to_do() -> None:
    (row,) = run_summaries([(window("run", "w_rank0"), BUSY), (window("run", "w_rank1"), IDLE)])
    (alone,) = run_summaries([(window("run"), IDLE)])
    assert (row.rank, alone.rank) == (1, None)
    assert (row.first_action, row.saves_us) == (alone.first_action, alone.saves_us)
    assert row.idle_share is not None
    assert alone.idle_share is not None
    assert row.idle_share < alone.idle_share


def test_a_cold_step_counts_no_more_than_in_the_verdict() -> None:
    idle_step, *others = (dataclasses.replace(step, cold=False) for step in IDLE.steps)
    cold = dataclasses.replace(idle_step, cold=True, device_idle_ns=idle_step.length_ns)
    warmed_up = dataclasses.replace(IDLE, steps=(cold, *others))
    only_cold = dataclasses.replace(IDLE, steps=(cold,))
    assert idle_share(warmed_up) == idle_share(dataclasses.replace(IDLE, steps=tuple(others)))
    assert idle_share(only_cold) == 1.0


def without_gpu() -> Report:
    return dataclasses.replace(changed(findings=(), fix_plan=()), idle=None, verdict=None, recorded_calls=())


def test_a_run_without_a_gpu_comes_last_and_has_no_share() -> None:
    rows = run_summaries([(window("cpu"), without_gpu()), (window("busy"), BUSY)])
    assert [row.run for row in rows] == ["busy", "cpu"]
    assert (rows[1].idle_share, rows[1].first_action, rows[1].saves_us) == (None, "", None)
    assert REPORT.idle is not None


def test_where_another_recording_comes_first_it_is_the_first_action() -> None:
    assert IDLE.verdict is not None
    cold = dataclasses.replace(IDLE, verdict=dataclasses.replace(IDLE.verdict, case="cold_start"))
    (row,) = run_summaries([(window("run"), cold)])
    assert row.first_action == "Record again with a longer `skip_first`"
    assert (row.saves_us, row.is_predicted) == (None, False)
