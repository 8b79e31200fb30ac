"""All runs: what a row is made of, what it is compared with, and how rows are found."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from fleet_runs import COMMITS, FIRST_NS, HOUR_NS, report_of_commit
from trace_builder import TraceBuilder

from tbprof.errors import UsageError
from tbprof.model import Window
from tbprof.report import build_report
from tbprof.store.job_windows import owner_of, owner_of_run
from tbprof.views.fleet import fleet_csv
from tbprof.views.fleet_entries import FleetWindow, fleet_entries, newest_windows
from tbprof.views.fleet_groups import FleetEntry, most_at_once
from tbprof.views.fleet_listing import FleetQuestion, fleet_rows, fleet_view, sort_of
from tbprof.views.fleet_summary import WindowSummary, document_of, summary_of, summary_of_document

SUMMARY = summary_of(report_of_commit(COMMITS[0]))
LATER = summary_of(report_of_commit(COMMITS[1], "lib/late_metrics.py"))


TRAINING = """
import sys, torch
from tbprof import TrainerHook
model, seen = torch.nn.Linear(64, 64), []
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with TrainerHook(sys.argv[1]) as hook:
    for _ in range(30):
        loss = model(torch.randn(32, 64)).pow(2).mean()
        loss.backward()
        {read}
        optimizer.step()
        optimizer.zero_grad()
        hook.step()
"""


def window(run: str, day: int, worker: str = "w", hour: int = 0) -> Window:
    at_ns = FIRST_NS + (24 * day + hour) * HOUR_NS
    name = f"{worker}.{at_ns}.trace.json.gz"
    return Window(run, worker, name, at_ns, name, None, 1)


def looked_at(
    run: str, day: int, summary: WindowSummary | None, hours: int = 1, worker: str = "w"
) -> FleetWindow:
    newest = window(run, day, worker, hours)
    return FleetWindow(newest, 2, newest.order_ns - hours * HOUR_NS, "ada", summary, "")


def rows_of(*windows: FleetWindow) -> dict[str, FleetEntry]:
    return {entry.row.run: entry for entry in fleet_entries(windows)}


def test_a_gpu_of_which_only_allocations_are_known_is_none_that_was_watched() -> None:
    built = TraceBuilder()
    built.memory(0.0, 1 << 20)
    built.memory(1_000.0, 1 << 20)
    report = built.report()
    assert report.trace.devices == ("GPU 0",)
    assert summary_of(report).devices == ()


def test_a_summary_is_kept_and_read_again() -> None:
    assert summary_of_document(document_of(SUMMARY)) == SUMMARY
    with pytest.raises(TypeError):
        summary_of_document({**document_of(SUMMARY), "lines": [{"unknown": 1}]})


def test_a_wait_whose_line_is_not_recorded_is_named_by_what_is_around_it() -> None:
    report = report_of_commit(COMMITS[0])
    sites = tuple(
        dataclasses.replace(
            site, source=None, label=None, module=None, ops=("aten::item", "aten::any", "aten::a")
        )
        for site in report.sites
    )
    places = {wait.place for wait in summary_of(dataclasses.replace(report, sites=sites)).waits}
    assert places == {"aten::item \u2039 aten::any"}


def test_what_the_gpu_does_adds_up_to_the_step() -> None:
    parts = [SUMMARY.busy, SUMMARY.communication, SUMMARY.copying, *SUMMARY.idle.values()]
    assert sum(part or 0.0 for part in parts) == pytest.approx(1.0, abs=1e-6)


def test_the_top_line_costs_its_share_of_a_day() -> None:
    row = rows_of(looked_at("run", 1, SUMMARY, hours=10))["run"].row
    top = SUMMARY.lines[0]
    assert (row.top_rule, row.top_place) == (top.rule, top.place)
    assert row.gpu_s == pytest.approx(10 * 3600, rel=1e-3)
    assert row.top_gpu_h == pytest.approx(top.share * 24)
    assert row.idle is not None and row.idle_gpu_h == pytest.approx(row.idle * 24)
    assert (row.gpus, row.windows, row.owner, row.alarm) == (1, 2, "ada", "no run before it")


def test_of_a_window_that_is_not_typical_no_line_is_blamed() -> None:
    report = report_of_commit(COMMITS[0])
    assert report.verdict is not None
    cold = dataclasses.replace(
        report, verdict=dataclasses.replace(report.verdict, case="cold_start"), ranked=None
    )
    entries = fleet_entries([looked_at("run", 1, summary_of(cold))])
    (row,) = (entry.row for entry in entries)
    assert (row.top_rule, row.top_action) == ("", "Record again with a longer `skip_first`")
    assert not row.top_gpu_h
    view = fleet_view(entries, FleetQuestion())
    assert view.verdict == "1 run recorded, and nothing typical in it"
    assert view.detail.endswith("1 run is to be recorded again first.")


def test_runs_are_ranked_by_their_idle_gpus_and_not_by_how_long_they_were_seen() -> None:
    job = [looked_at("job", 1, SUMMARY, worker=f"node_rank{rank}") for rank in range(8)]
    watched = looked_at("watched", 1, SUMMARY, hours=500)
    view = fleet_view(fleet_entries([watched, *job]), FleetQuestion())
    assert [row.run for row in view.rows] == ["job", "watched"]
    idle = view.rows[0].idle
    assert idle is not None
    assert view.verdict == (
        f"2 runs leave {9 * idle:.1f} of 9 GPUs idle: {9 * idle * 24:.0f} GPU-hours a day at this rate"
    )


def test_ranks_with_the_same_top_line_lose_together() -> None:
    ranks = [looked_at("run", 1, SUMMARY, worker=f"node_rank{rank}") for rank in range(4)]
    row = rows_of(*ranks)["run"].row
    assert (row.ranks, row.gpus) == (4, 4)
    assert row.top_gpu_h == pytest.approx(4 * SUMMARY.lines[0].share * 24)


def test_ranks_that_give_nothing_are_damaged_or_missing_are_named() -> None:
    ranks = {rank: dataclasses.replace(SUMMARY, rank=rank, world_size=6) for rank in range(4)}
    ranks[1] = dataclasses.replace(ranks[1], is_damaged=True)
    rows = [looked_at("run", 1, summary, worker=f"worker{rank}") for rank, summary in ranks.items()]
    unread = dataclasses.replace(looked_at("run", 1, None, worker="node_rank5"), problem="a.json is empty")
    assert rows_of(*rows, unread)["run"].row.problem == (
        "a.json is empty. Damaged: rank 1, the trace ends early. Its figures are of the part before. "
        "Not recorded: rank 4. A rank that was not recorded may hold up the others unseen."
    )
    other = dataclasses.replace(unread, window=window("run", 1, "node_rank4"))
    assert rows_of(*rows, unread, other)["run"].row.problem.startswith(
        "a.json is empty. 1 more rank gives nothing. Damaged"
    )


def test_a_run_of_one_worker_that_is_cut_off_is_not_told_to_be_busy() -> None:
    cut = dataclasses.replace(
        SUMMARY, is_damaged=True, busy=None, communication=None, copying=None, idle={}, lines=()
    )
    ranks = [looked_at("run", 1, one, worker=f"node_rank{at}") for at, one in enumerate((SUMMARY, cut))]
    together, alone = rows_of(*ranks)["run"].row, rows_of(ranks[0])["run"].row
    assert (together.busy, together.idle) == (alone.busy, alone.idle)
    row = rows_of(looked_at("run", 1, cut))["run"].row
    assert row.problem == "Damaged: the trace ends early. Its figures are of the part before."
    assert (row.gpus, row.busy, row.idle) == (1, None, None)


def test_a_file_whose_gpu_work_is_cut_off_is_no_run_without_one() -> None:
    without = dataclasses.replace(
        SUMMARY, busy=None, communication=None, copying=None, idle={}, lines=(), devices=()
    )
    cut = dataclasses.replace(without, lacks_device_work=True)
    rows = [rows_of(looked_at("run", 1, one))["run"].row for one in (without, cut)]
    assert [(row.gpus, row.is_judged, row.top_rule) for row in rows] == [(None, True, ""), (None, False, "")]


def test_of_ranks_that_were_not_read_yet_none_is_called_missing_and_all_are_counted() -> None:
    known = dataclasses.replace(SUMMARY, rank=0, world_size=4)
    rows = looked_at("run", 1, known, worker="worker0"), looked_at("run", 1, None, worker="node_rank1")
    assert rows_of(*rows)["run"].row.problem == "1 of 2 ranks read so far."


def test_a_new_commit_that_adds_a_wait_is_told() -> None:
    rows = rows_of(looked_at("exp/run1", 1, SUMMARY), looked_at("exp/run2", 2, LATER))
    later = rows["exp/run2"].row
    assert later.before == "exp/run1"
    assert later.is_alarm
    assert later.alarm.startswith("bbbbbbbbbb added ")
    assert "at late_metrics.py:5" in later.alarm
    assert later.change == pytest.approx(0.0)


@pytest.mark.exhaustive
def test_of_two_recordings_the_line_that_the_later_commit_added_is_told(tmp_path: Path) -> None:
    """Recorded without a GPU: it would make one wait."""
    program = tmp_path / "train.py"
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    windows = []
    for day, read in enumerate(("pass", "seen.append(loss.item())"), start=1):
        program.write_text(TRAINING.format(read=read), encoding="utf-8")
        commit(tmp_path)
        run = tmp_path / "logs" / f"run{day}"
        subprocess.run([sys.executable, str(program), str(run)], check=True, cwd=tmp_path)
        [trace] = run.glob("*.trace.json.gz")
        windows.append(looked_at(run.name, day, summary_of(build_report(trace))))
    rows = rows_of(*windows)
    assert rows["run1"].row.alarm == "no run before it"
    assert rows["run2"].row.is_alarm
    assert rows["run2"].row.alarm.endswith(" added SYN01 at train.py:10")
    assert rows["run2"].row.top_place == "train.py:10"
    verdict = fleet_view(list(rows.values()), FleetQuestion()).verdict
    assert verdict == "2 runs recorded, and no work of a GPU is in any of them"


def commit(folder: Path) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), "add", "train.py"], check=True)
    subprocess.run(["git", "-C", str(folder), *who, "commit", "-qm", "x"], check=True)


@pytest.mark.parametrize(
    ("earlier", "alarm"),
    [
        (dataclasses.replace(SUMMARY, commit=COMMITS[1]), ""),
        (dataclasses.replace(SUMMARY, commit=None), "not known: a commit was not recorded"),
        (dataclasses.replace(LATER, commit=COMMITS[0]), ""),
    ],
    ids=["same_commit", "no_commit", "same_waits"],
)
def test_nothing_else_is_an_alarm(earlier: WindowSummary, alarm: str) -> None:
    rows = rows_of(looked_at("run1", 1, earlier), looked_at("run2", 2, LATER))
    assert (rows["run2"].row.alarm, rows["run2"].row.is_alarm) == (alarm, False)


@pytest.mark.parametrize("other", ["other_run1", "deep/run1", "run1_eval"])
def test_runs_of_other_programs_are_not_compared(other: str) -> None:
    rows = rows_of(
        *sorted([looked_at(other, 1, SUMMARY), looked_at("run2", 2, LATER)], key=lambda w: w.window.run)
    )
    assert rows["run2"].row.before is None


def test_names_with_dates_and_digests_are_of_one_family() -> None:
    rows = rows_of(
        looked_at("bert-2026-01-02-3fa4bc9", 1, SUMMARY), looked_at("bert-2026-02-11-90e17ad", 2, LATER)
    )
    assert rows["bert-2026-02-11-90e17ad"].row.before == "bert-2026-01-02-3fa4bc9"


def test_of_a_later_training_in_the_same_folder_the_ranks_count_once() -> None:
    windows = [window("run", 1, "a_rank0"), window("run", 2, "b_rank0"), window("run", 2, "b_rank0", 5)]
    assert newest_windows(windows) == [(windows[2], 2, windows[1].order_ns)]


def test_a_rank_under_two_names_counts_once() -> None:
    summary = dataclasses.replace(SUMMARY, rank=1, world_size=2)
    other = dataclasses.replace(SUMMARY, rank=0, world_size=2)
    rows = [
        looked_at("run", 1, one, worker=name)
        for one, name in ((other, "a"), (summary, "b"), (summary, "copy"))
    ]
    assert rows_of(*rows)["run"].row.ranks == 2
    unread = [looked_at("run", 1, None, worker=name) for name in ("a", "b", "copy")]
    assert rows_of(*unread)["run"].row.ranks == 3


@pytest.mark.parametrize("day", [-55 * 365, 400 * 365], ids=["1970", "2425"])
def test_a_file_of_no_credible_time_makes_no_training_of_centuries(day: int) -> None:
    windows = sorted([window("run", 1), window("run", 2), window("run", day)], key=lambda one: one.order_ns)
    [(newest, count, first_ns)] = newest_windows(windows)
    assert (newest.order_ns, count, first_ns) == (window("run", 2).order_ns, 3, window("run", 1).order_ns)
    alone = window("run", day)
    assert newest_windows([alone]) == [(alone, 1, alone.order_ns)]
    later = window("run", day, "b_rank0")
    assert newest_windows([window("run", 1, "a_rank0"), later])[0][0].worker == "a_rank0"


ENTRIES = tuple(
    rows_of(
        looked_at("run1", 1, SUMMARY, hours=1),
        looked_at("run2", 2, LATER, hours=5),
        looked_at("unread", 3, None),
    ).values()
)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", ["run1", "run2", "unread"]),
        ("SYN", ["run1", "run2"]),
        ("late_metrics.py:5", ["run2"]),
        ("ada unread", ["unread"]),
        (SUMMARY.kernels[0], ["run1", "run2"]),
        ("nothing of this", []),
    ],
)
def test_a_search_finds_rules_lines_kernels_and_names(search: str, found: list[str]) -> None:
    assert [row.run for row in fleet_rows(ENTRIES, FleetQuestion(search))] == found


def test_what_is_not_known_comes_last_whichever_end_is_first() -> None:
    for is_reversed in (False, True):
        assert fleet_rows(ENTRIES, FleetQuestion("", "idle", is_reversed))[-1].run == "unread"
    with pytest.raises(UsageError, match="can't be sorted"):
        sort_of("price")


def test_the_sentence_says_what_is_idle_and_behind_what() -> None:
    view = fleet_view(ENTRIES, FleetQuestion(), most=1)
    assert view.verdict.startswith("2 runs leave ")
    assert "Half of what the top lines cost is behind CPY01 train.py:12." in view.detail
    assert "In 1 run a new commit added a wait." in view.detail
    assert (view.found, view.total, len(view.rows)) == (3, 3, 1)


def test_csv_has_a_column_a_cause_and_no_formula() -> None:
    hostile = rows_of(looked_at("=cmd()", 1, SUMMARY))["=cmd()"].row
    head, line = fleet_csv([hostile]).splitlines()
    assert line.startswith("'=cmd(),")
    assert all(f"idle_{cause.cause}" in head for cause in hostile.causes)


def test_equal_runs_are_one_row_and_one_gpu_that_they_used_one_after_the_other() -> None:
    runs = [looked_at(f"ada/sweep-{day}", day, SUMMARY) for day in range(1, 6)]
    (row,) = (entry.row for entry in fleet_entries([*runs]))
    assert (row.run, row.runs, row.gpus, row.windows) == ("ada/sweep-5", 5, 1, 10)
    assert row.idle is not None and row.idle_gpu_h == pytest.approx(row.idle * 24)
    assert row.watched_s == pytest.approx(5 * 3600, rel=1e-3)
    view = fleet_view(fleet_entries(runs), FleetQuestion())
    assert (view.total, view.found) == (5, 1)
    assert view.verdict.startswith("5 runs leave ") and " of 1 GPU idle" in view.verdict
    assert fleet_view(fleet_entries(runs), FleetQuestion("sweep-2")).found == 1


def test_equal_runs_at_the_same_time_use_a_gpu_each() -> None:
    runs = [looked_at(f"ada/sweep-{number}", 1, SUMMARY) for number in range(1, 4)]
    (row,) = (entry.row for entry in fleet_entries(runs))
    assert (row.runs, row.gpus) == (3, 3)
    assert row.idle is not None and row.idle_gpu_h == pytest.approx(3 * row.idle * 24)


def test_other_top_lines_and_other_programs_are_no_equal_runs() -> None:
    other = dataclasses.replace(SUMMARY.lines[0], place="other.py:1")
    changed = dataclasses.replace(SUMMARY, lines=(other,))
    runs = [looked_at("a/run1", 1, SUMMARY), looked_at("a/run2", 2, changed), looked_at("b/run3", 3, SUMMARY)]
    assert [entry.row.runs for entry in fleet_entries(runs)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("spans", "most"),
    [([(0, 10), (10, 20)], 1), ([(0, 10), (5, 15), (9, 12), (20, 30)], 3), ([(5, 5), (5, 5)], 1), ([], 1)],
)
def test_spans_that_touch_are_not_at_once(spans: list[tuple[int, int]], most: int) -> None:
    assert most_at_once(spans) == most


def test_the_owner_is_the_first_folder_else_who_owns_the_file(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.touch()
    assert owner_of_run("anna/exp/run1", str(file)) == "anna"
    assert owner_of_run("run1", str(file)) == owner_of(str(file))
    assert owner_of_run("/logs/run1", str(file)) == owner_of(str(file))
