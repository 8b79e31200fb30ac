"""Which windows a page holds, and what it says of all of them."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from job_scenes import LATE, job_of, write_job

from tbprof.cli.main import main
from tbprof.errors import TbprofError, TraceError
from tbprof.html_report import html_page, page_windows
from tbprof.html_report.page_windows import MOST_OF_TREND, PageWindows, WindowReport, choose_windows
from tbprof.model import HealthFact, Report, Window
from tbprof.texts.problems import LEFT_OUT, LEFT_OUT_JOB

RANKS = 4
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_page, "_bundle", lambda: "const a = 1;")


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    return [of_rank(built.report(), rank) for rank, built in enumerate(job_of(RANKS))]


def of_rank(report: Report, rank: int) -> Report:
    trace = dataclasses.replace(report.trace, rank=rank, world_size=RANKS)
    return dataclasses.replace(report, trace=trace)


def window_of(rank: int, number: int = 1, run: str = "run") -> Window:
    worker = f"node_{rank}_rank{rank}"
    name = f"{worker}.{1_752_215_573_993_160_000 + number}.tbprof.pb"
    return Window(run, worker, name, 1_752_215_573_993_160_000 + number, None, f"/logs/{run}/{name}", 1)


def windows_of(reports: list[Report], windows: int = 1) -> list[WindowReport]:
    numbers = range(1, windows + 1)
    return [(window_of(rank, number), one) for rank, one in enumerate(reports) for number in numbers]


def lateness(report: Report) -> float:
    """Least of the late rank, so that a page of some windows leaves that out."""
    return 0.0 if report.trace.rank == LATE else 1.0


def data_in(page: str) -> dict[str, Any]:
    _, _, data = page.partition('id="tbprof-data">')
    found: dict[str, Any] = json.JSONDecoder().raw_decode(data)[0]
    return found


def page_of_some(reports: list[Report], *, windows: int = 1, most: int = RANKS - 1) -> str:
    chosen = choose_windows(windows_of(reports, windows), most=most, loss=lateness)
    return html_page.html_page(chosen, timelines=0)


def test_ranks_whose_windows_are_left_out_are_compared_too(reports: list[Report]) -> None:
    data = data_in(page_of_some(reports))
    whole = choose_windows(windows_of(reports), most=RANKS)
    of_all = data_in(html_page.html_page(whole, timelines=0))
    [job], [of_whole] = data["jobs"], of_all["jobs"]
    held, *notes = job["view"]["page"].pop("notes")
    assert f"rank {LATE}, which is late by" in job["view"]["page"]["verdict"]
    assert notes == of_whole["view"]["page"].pop("notes")
    assert job == of_whole
    assert held.startswith(f"This page holds {RANKS - 1} of {RANKS} windows, ")
    assert data["ranks"][0]["view"]["rows"] == of_all["ranks"][0]["view"]["rows"]
    assert data["ranks"][0]["view"]["missing"] == ""


class Reader:
    """Who reads windows anew, and which those were."""

    def __init__(self, windows: list[WindowReport], *, broken: bool = False) -> None:
        self._reports = dict(windows)
        self._broken = broken
        self.asked: list[Window] = []

    def __call__(self, windows: Sequence[Window]) -> Iterator[tuple[Window, Report | TbprofError]]:
        self.asked += windows
        for window in windows:
            yield window, TraceError("It is gone.") if self._broken else self._reports[window]


def held_in(chosen: PageWindows) -> set[Window]:
    return {row.window for row in chosen.rows if row.report is not None}


def test_the_late_rank_is_held_though_others_lose_more(reports: list[Report]) -> None:
    windows = windows_of(reports)
    reader = Reader(windows)
    chosen = choose_windows(windows, most=2, loss=lateness, read_again=reader)
    assert window_of(LATE) in held_in(chosen)
    assert set(reader.asked) == {window_of(0), window_of(LATE)}
    assert (chosen.held, len(held_in(chosen)), chosen.total, len(chosen.rows)) == (2, 2, RANKS, RANKS)
    assert all((row.report is None) == (row.summary is not None) for row in chosen.rows)
    data = data_in(html_page.html_page(chosen, timelines=0))
    of_all = data_in(html_page.html_page(choose_windows(windows, most=RANKS), timelines=0))
    assert data["jobs"][0]["view"]["page"]["ranks"] == of_all["jobs"][0]["view"]["page"]["ranks"]


def test_the_rank_that_is_named_is_held_in_the_newest_window(reports: list[Report]) -> None:
    windows = windows_of(reports, 5)
    chosen = choose_windows(windows, most=3, loss=lateness, read_again=Reader(windows))
    assert window_of(LATE, 5) in held_in(chosen)


def test_the_newest_window_of_a_worker_is_held(reports: list[Report]) -> None:
    windows = [(window_of(0, number), reports[0]) for number in range(1, 11)]
    fewer = iter(range(99, 0, -1))
    chosen = choose_windows(windows, most=4, loss=lambda _: next(fewer), read_again=Reader(windows))
    assert held_in(chosen) == {window_of(0, number) for number in (1, 2, 3, 10)}
    assert "the newest" in chosen.note
    assert "location.replace" in html_page.html_page(chosen, timelines=0)


def test_each_run_of_the_page_has_its_late_rank(reports: list[Report]) -> None:
    windows = [(window_of(rank, run=run), one) for run in "ab" for rank, one in enumerate(reports)]
    chosen = choose_windows(windows, most=6, loss=lateness, read_again=Reader(windows))
    assert {window_of(LATE, run=run) for run in "ab"} <= held_in(chosen)
    assert list(chosen.runs) == ["a", "b"]


def test_a_damaged_window_is_held(reports: list[Report]) -> None:
    trace = dataclasses.replace(reports[3].trace, health=(HealthFact("truncated", "warning", {}),))
    windows = windows_of([*reports[:3], dataclasses.replace(reports[3], trace=trace), *reports[2:] * 8])
    chosen = choose_windows(
        windows, most=12, loss=lambda report: not report.trace.is_damaged, read_again=Reader(windows)
    )
    assert window_of(3) in held_in(chosen)


def test_what_can_not_be_read_anew_is_left_out(reports: list[Report]) -> None:
    windows = windows_of(reports)
    chosen = choose_windows(windows, most=2, loss=lateness, read_again=Reader(windows, broken=True))
    assert (chosen.held, len(held_in(chosen)), len(chosen.rows)) == (2, 2, RANKS)
    assert window_of(LATE) not in held_in(chosen)


def test_where_all_are_held_nothing_is_read_anew(reports: list[Report]) -> None:
    windows = windows_of(reports)
    reader = Reader(windows)
    choose_windows(windows, most=RANKS, read_again=reader)
    assert reader.asked == []


def test_a_window_that_is_left_out_is_listed_and_says_so(reports: list[Report]) -> None:
    data = data_in(page_of_some(reports, windows=2, most=6))
    [run] = data["runs"]["runs"]
    assert [len(worker["windows"]) for worker in run["workers"]] == [2] * RANKS
    left_out = [window for window in data["windows"] if window["answer"]["window"] is None]
    assert {window["worker"] for window in left_out} == {f"node_{LATE}_rank{LATE}"}
    problem = left_out[0]["answer"]["problem"]
    assert (problem["title"], problem["what_to_do"]) == LEFT_OUT
    assert problem["what"].startswith("This page holds 6 of 8 windows")
    assert problem["path"] == f"run/{left_out[0]['window']}"


def test_every_window_of_a_page_of_some_says_how_many_it_holds(reports: list[Report]) -> None:
    data = data_in(page_of_some(reports))
    held = [
        window["answer"]["window"] for window in data["windows"] if window["answer"]["window"] is not None
    ]
    assert len(held) == RANKS - 1
    for view in held:
        assert view["overview"]["trust"][0]["figure"] == f"{RANKS - 1} of {RANKS}"
    assert all(f"{RANKS - 1} of {RANKS} windows" in one["view"]["detail"] for one in data["ranks"])
    assert all(f"{RANKS - 1} of {RANKS} windows" in one["view"]["detail"] for one in data["trends"])


def test_of_long_trends_it_says_that_they_are_of_the_last_windows(reports: list[Report]) -> None:
    windows = [(window_of(0, number), reports[0]) for number in range(1, MOST_OF_TREND + 11)]
    [trend] = data_in(html_page.html_page(choose_windows(windows, most=2), timelines=0))["trends"]
    assert (len(trend["view"]["rows"]), trend["view"]["left_out"]) == (MOST_OF_TREND, 10)
    sentence = "ranks are compared over all windows of a run, trends over a worker's last 120."
    assert trend["view"]["detail"].endswith(sentence)
    short = choose_windows(windows[:MOST_OF_TREND], most=2)
    assert short.note.endswith("ranks and trends are compared over all windows of a run.")


def test_a_page_of_all_says_nothing_of_that(reports: list[Report]) -> None:
    page = html_page.html_page(choose_windows(windows_of(reports), most=RANKS), timelines=0)
    assert "This page holds" not in page
    assert "location.replace" not in page


def test_it_opens_at_a_window_that_it_holds(reports: list[Report]) -> None:
    chosen = choose_windows(windows_of(reports), most=1, loss=lambda report: report.trace.rank == LATE)
    page = html_page.html_page(chosen, timelines=0)
    opened = re.search(r'location\.replace\("#tbprof&([^"]*)"\)', page)
    assert opened is not None
    assert f"p.tbprof.worker=node_{LATE}_rank{LATE}&" in opened[1]
    [held] = [window for window in data_in(page)["windows"] if window["answer"]["window"] is not None]
    assert held["worker"] == f"node_{LATE}_rank{LATE}"


def test_no_name_can_end_the_script_that_opens_it(reports: list[Report]) -> None:
    evil = '</script><script>alert("\u8bad")'
    windows = [(window_of(rank, run=evil), one) for rank, one in enumerate(reports)]
    page = html_page.html_page(choose_windows(windows, most=1), timelines=0)
    assert page.isascii()
    assert page.count("<script") == 3


def test_a_run_of_which_no_window_is_held_is_none_of_the_page(reports: list[Report]) -> None:
    windows = [(window_of(0, run=run), reports[0]) for run in ("a", "b")]
    chosen = choose_windows(windows, most=1)
    assert (list(chosen.runs), chosen.held, chosen.total) == (["b"], 1, 2)


def test_all_runs_are_listed_however_many_windows_they_have(
    reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.views.runs.WINDOWS_OF_A_PAGE", 1)
    windows = [(window_of(0, run=run), reports[0]) for run in ("a", "b", "c")]
    runs = data_in(html_page.html_page(choose_windows(windows, most=3), timelines=0))["runs"]
    assert ([run["run"] for run in runs["runs"]], runs["next_page"]) == (["a", "b", "c"], None)


def test_what_could_not_be_read_is_no_rank_that_was_not_recorded(reports: list[Report]) -> None:
    at_hand = [one for one in windows_of(reports) if one[0].worker != "node_2_rank2"]
    window = window_of(2)
    chosen = choose_windows(at_hand, [(window, TraceError(f"{window.report_path} is empty."))], most=RANKS)
    data = data_in(html_page.html_page(chosen, timelines=0))
    page = data["jobs"][0]["view"]["page"]
    assert page["missing"] == []
    [problem] = page["problems"]
    assert (problem["rank"], problem["sentence"]) == (2, f"Rank 2 is left out: run/{window.window} is empty.")
    [broken] = [row for row in data["ranks"][0]["view"]["rows"] if row["state"] == "broken"]
    assert (broken["rank"], broken["problem"]) == (2, f"run/{window.window} is empty.")
    assert data["ranks"][0]["view"]["missing"] == ""
    [shown] = [row for row in data["windows"] if row["answer"]["state"] == "broken"]
    assert shown["answer"]["problem"]["what"] == f"run/{window.window} is empty."


def test_a_page_says_of_unreadable_ranks_what_the_job_says(tmp_path: Path, capsys: Capture) -> None:
    traces = write_job(tmp_path / "run", 6)
    traces[2].write_bytes(b"\x93no trace" * 6)
    traces[3].unlink()
    traces[5].write_bytes(b"")
    assert main(["job", str(tmp_path / "run"), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert main(["report", str(tmp_path / "run"), "--format", "html"]) == 0
    data = data_in(capsys.readouterr().out)
    page = data["jobs"][0]["view"]["page"]
    assert page["verdict"] == told["verdict"]
    assert page["missing"] == told["missing"] == [3]
    assert [one["rank"] for one in page["problems"]] == [2, 5]
    names = [f"run/{traces[rank].name}" for rank in (2, 5)]
    assert all(name in one["sentence"] for name, one in zip(names, page["problems"], strict=True))
    assert str(tmp_path) not in json.dumps([data["jobs"], data["ranks"]])
    assert data["ranks"][0]["view"]["missing"].startswith("Not recorded: rank 3.")


def test_the_windows_that_are_idle_most_are_compared_with_all(tmp_path: Path, capsys: Capture) -> None:
    write_job(tmp_path / "run", RANKS)
    assert main(["report", str(tmp_path / "run"), "--format", "html", "--top", "1"]) == 0
    data = data_in(capsys.readouterr().out)
    assert len(data["jobs"][0]["view"]["page"]["ranks"]) == RANKS
    assert [window["answer"]["state"] for window in data["windows"]].count("ready") == 1


def test_of_large_jobs_the_newest_are_compared_and_the_others_say_that_they_are_not(
    reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_windows, "MOST_JOB_RANKS", RANKS)
    data = data_in(page_of_some(reports, windows=3))
    ranks = [len(job["view"]["page"]["ranks"]) for job in data["jobs"]]
    assert ranks == [0, RANKS, RANKS]
    assert data["jobs"][0]["view"]["page"]["verdict"] == LEFT_OUT_JOB
    # The figures of its ranks stand side by side.
    assert [len(one["view"]["rows"]) for one in data["ranks"]] == [RANKS] * 3


def test_trends_of_ranks_without_a_window_in_the_page_are_few(
    reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_windows, "MOST_TREND_ROWS", 2)
    trends = data_in(page_of_some(reports, windows=2, most=1))["trends"]
    assert len(trends) == 2
    assert all(len(one["view"]["rows"]) == 2 for one in trends)


def test_a_window_that_a_rank_lacks_is_told_as_in_the_job(reports: list[Report]) -> None:
    windows = [one for one in windows_of(reports, 2) if one[0] != window_of(3, 2)]
    data = data_in(html_page.html_page(choose_windows(windows, most=8), timelines=0))
    first, second = (job["view"] for job in data["jobs"])
    assert first["page"]["notes"][0].startswith("Window 1 of 2 is shown")
    assert (first["windows"], second["windows"]) == (2, 2)
    assert second["page"]["missing"] == [3]


def test_each_run_is_held_by_one_window_at_least_and_runs_without_one_are_counted(
    reports: list[Report],
) -> None:
    report = reports[0]
    some = [(window_of(0, number, "large"), report) for number in range(1, 40)]
    others = [(window_of(0, 100 + number, f"small{number}"), report) for number in range(6)]

    def read_again(windows: Sequence[Window]) -> Iterator[WindowReport]:
        yield from ((window, report) for window in windows)

    windows = [*some, *others]
    chosen = choose_windows(windows, most=8, loss=lambda _: 1.0, read_again=read_again)
    held = {row.window.run for row in chosen.rows if row.report is not None}
    assert held >= {f"small{number}" for number in range(6)}
    few = choose_windows(windows, most=4, loss=lambda _: 1.0, read_again=read_again)
    assert few.note.endswith(f"It holds none of {7 - len(few.runs)} more runs.")
