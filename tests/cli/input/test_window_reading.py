"""The windows of a folder as they come, by whoever reads them; what is missing or damaged is named."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from command_line import SAMPLES
from job_scenes import write_job, write_job_that_loses_ranks

from tbprof.cli.main import main
from tbprof.cli.reading import report_of_file
from tbprof.cli.window_reading import WindowReader
from tbprof.html_report import html_page
from tbprof.model import Report

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
SYNCING = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Four ranks of a job of six, of which rank 1 is cut off and rank 3 gives nothing."""
    folder = tmp_path / "run"
    folder.mkdir()
    trace = json.loads(gzip.decompress(CLEAN.read_bytes()))
    for rank in range(4):
        told = {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 6}}
        packed = gzip.compress(json.dumps({**told, **trace}).encode(), 1)
        cut = {1: len(packed) // 2, 3: 9}.get(rank, len(packed))
        (folder / f"node_{rank}_rank{rank}.175221557399316900{rank}.pt.trace.json.gz").write_bytes(
            packed[:cut]
        )
    return folder


def test_every_rank_that_is_missing_or_damaged_is_named_and_the_others_stand(
    run: Path, capsys: Capture
) -> None:
    assert main(["report", str(run), "--format", "json", "--no-cache"]) == 0
    shared = capsys.readouterr()
    assert [report["trace"]["rank"] for report in json.loads(shared.out)["reports"]] == [0, 1, 2]
    nothing, damaged, missing = shared.err.splitlines()
    assert "node_3_rank3" in nothing
    assert f"{run}: Damaged: rank 1, the trace ends early." in damaged
    assert "Not recorded: rank 4, 5." in missing
    # Who reads only what is printed sees the same.
    problems = json.loads(shared.out)["problems"]
    named = [problem["path"] for problem in problems]
    assert [Path(path).name.partition(".")[0] for path in named] == ["node_3_rank3", "run", "run"]
    assert all(
        problem["sentence"] in line for problem, line in zip(problems, shared.err.splitlines(), strict=True)
    )
    assert main(["report", str(run), "--format", "markdown", "--no-cache"]) == 0
    section = capsys.readouterr().out.partition("\n## To know\n\n")[2].replace("\\", "")
    assert [f"tbprof: {line.removeprefix('- ')}" for line in section.splitlines()] == shared.err.splitlines()
    # One process says the same as several, which four traces are worth.
    assert main(["report", str(run), "--format", "json", "--no-cache", "--workers", "1"]) == 0
    assert capsys.readouterr() == shared


@pytest.mark.parametrize(
    "form",
    [["--summary"], ["--format", "json"], ["--summary", "--format", "json"]],
    ids=["summary", "json", "summary as json"],
)
def test_a_rank_without_the_newest_window_is_named(tmp_path: Path, capsys: Capture, form: list[str]) -> None:
    run = tmp_path / "run"
    write_job_that_loses_ranks(run)
    assert main(["report", str(run), "--no-cache", *form]) == 0
    printed = capsys.readouterr()
    damaged, behind = printed.err.splitlines()
    assert "Damaged: rank 2, the trace ends early." in damaged
    assert f"{run}: Not recorded: window 3, the newest, of rank 1. A rank with fewer windows" in behind
    if "json" in form:
        said = [problem["sentence"] for problem in json.loads(printed.out)["problems"]]
        assert [sentence.partition(":")[0] for sentence in said] == ["Damaged", "Not recorded"]


def test_a_window_that_is_just_arriving_is_told_as_such(tmp_path: Path, capsys: Capture) -> None:
    run = tmp_path / "run"
    write_job(run, 3)
    write_job(run, 3, 2)[1].unlink()
    assert main(["report", str(run), "--no-cache", "--summary"]) == 0
    assert capsys.readouterr().err == (
        f"tbprof: {run}: Not recorded so far: window 2, the newest, of rank 1.\n"
    )


def test_a_later_training_with_fewer_windows_lacks_none(tmp_path: Path, capsys: Capture) -> None:
    run = tmp_path / "run"
    for window in (1, 2):
        for path in write_job(run, 2, window):
            path.rename(path.with_name(f"earlier_{path.name}"))
    write_job(run, 2, 3)
    assert main(["report", str(run), "--no-cache", "--summary"]) == 0
    assert capsys.readouterr().err == ""


def test_windows_come_before_the_next_is_read(run: Path) -> None:
    (run / "node_3_rank3.1752215573993169003.pt.trace.json.gz").unlink()
    windows = iter(WindowReader([run], use_cache=False))
    first, _ = next(windows)
    for path in run.glob("*rank[12]*"):
        path.unlink()
    assert first.worker == "node_0_rank0"
    assert list(windows) == []


@pytest.mark.parametrize("workers", [[], ["--workers", "1"]], ids=["several", "one"])
def test_files_are_named_as_their_folder_was_however_they_are_read(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, workers: list[str]
) -> None:
    monkeypatch.chdir(run.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(run.parent / "cache"))
    asked = ["report", run.name, "--format", "json", *workers]
    # One is kept, then two are read, then all are kept.
    assert main(["report", *map(str, run.glob("*_rank0.*"))]) == 0
    capsys.readouterr()
    for _ in range(2):
        assert main(asked) == 0
        printed = capsys.readouterr()
        paths = [report["trace"]["path"] for report in json.loads(printed.out)["reports"]]
        assert [path.partition("node_")[0] for path in paths] == ["run/"] * 3
        assert printed.err.startswith("tbprof: run/node_3_rank3.")


def test_a_single_window_of_a_folder_is_named_as_the_folder_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    shutil.copy(CLEAN, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))
    for _ in range(2):
        assert main(["report", ".", "--format", "json"]) == 0
        [report] = json.loads(capsys.readouterr().out)["reports"]
        assert report["trace"]["path"] == f"./{CLEAN.name}"


def test_machines_that_share_a_folder_read_a_part_each_and_leave_reports(run: Path, capsys: Capture) -> None:
    for part in ("1/2", "2/2"):
        asked = ["report", str(run), "--format", "json", "--no-cache", "--store", "--shard", part]
        # The only trace of the second part besides rank 1's gives nothing.
        assert main(asked) == 0
        assert len(json.loads(capsys.readouterr().out)["reports"]) == {"1/2": 2, "2/2": 1}[part]
    assert [path.name.split(".")[0] for path in sorted(run.glob("*.tbprof.pb"))] == [
        "node_0_rank0",
        "node_1_rank1",
        "node_2_rank2",
    ]
    for path in run.glob("*.json.gz"):
        path.unlink()
    assert main(["report", str(run), "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["reports"]) == 3


def test_the_report_of_a_trace_that_is_named_is_left_beside_it(tmp_path: Path) -> None:
    trace = shutil.copy(CLEAN, tmp_path)
    assert main(["report", str(trace)]) == 0
    assert list(tmp_path.glob("*.tbprof.pb")) == []
    assert main(["report", str(trace), "--store"]) == 0
    [stored] = tmp_path.glob("*.tbprof.pb")
    assert main(["report", str(stored), "--store"]) == 0
    assert list(tmp_path.glob("*.tbprof.pb")) == [stored]


def test_a_trace_that_was_replaced_while_it_was_read_is_left_no_report(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = Path(shutil.copy(CLEAN, tmp_path))

    def reading(path: Path, **options: bool) -> Report:
        report = report_of_file(path, **options)
        Path(shutil.copy(CLEAN, tmp_path / "new")).replace(trace)
        return report

    monkeypatch.setattr("tbprof.cli.window_reading.report_of_file", reading)
    assert main(["report", str(trace), "--store"]) == 0
    assert "changed while it was read" in capsys.readouterr().err
    assert list(tmp_path.glob("*.tbprof.pb")) == []


def test_of_two_traces_with_one_name_the_first_has_its_report_left(tmp_path: Path, capsys: Capture) -> None:
    content = gzip.decompress(CLEAN.read_bytes())
    (tmp_path / "a.json").write_bytes(content)
    (tmp_path / "a.pt.trace.json").write_bytes(content.replace(b"ProfilerStep#", b"ProfilerStep#1"))
    assert main(["report", str(tmp_path), "--store"]) == 0
    assert capsys.readouterr().err.count("is there and not of a.") == 1
    assert main(["report", str(tmp_path / "a.json"), "--store"]) == 0
    assert len(list(tmp_path.glob("*.tbprof.pb"))) == 1


def test_nothing_more_is_read_once_the_reader_has_seen_enough(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def gone(text: str) -> None:
        read.append(text)
        raise BrokenPipeError

    monkeypatch.setattr("tbprof.cli.output_file.put", gone)
    monkeypatch.setattr("tbprof.cli.main.discard", lambda _: None)
    assert main(["report", str(run), "--no-cache"]) == 0
    assert len(read) == 1


def test_a_part_without_a_window_is_none_to_complain_of(tmp_path: Path, capsys: Capture) -> None:
    shutil.copy(CLEAN, tmp_path)
    assert main(["report", str(tmp_path), "--shard", "2/2"]) == 0
    assert capsys.readouterr() == ("", f"tbprof: {tmp_path}: This is part 2 of 2: 0 of 1 window.\n")


@pytest.mark.parametrize(
    ("part", "named"), [("1/3", []), ("2/3", ["Damaged: rank 1, the trace ends early."])]
)
def test_a_part_says_that_it_is_one_and_names_its_own_damaged_ranks(
    run: Path, capsys: Capture, part: str, named: list[str]
) -> None:
    (run / "node_3_rank3.1752215573993169003.pt.trace.json.gz").unlink()
    assert main(["report", str(run), "--summary", "--format", "json", "--no-cache", "--shard", part]) == 0
    printed = capsys.readouterr()
    told, *problems = printed.err.splitlines()
    assert told == f"tbprof: {run}: This is part {part[0]} of 3: 1 of 3 windows."
    said = [problem["sentence"] for problem in json.loads(printed.out)["problems"]]
    assert [sentence.partition(" Its")[0] for sentence in said] == named
    assert len(problems) == len(named)


@pytest.mark.parametrize("words", ["0/2", "3/2", "1", "1/0", "/", "a/b", "-1/2", "1/9999999"])
def test_a_part_that_there_is_not_is_refused(words: str, capsys: Capture) -> None:
    assert main(["report", str(CLEAN), f"--shard={words}"]) == 2
    assert "--shard" in capsys.readouterr().err


def test_a_page_of_a_part_is_refused_as_it_would_miss_the_other_ranks(capsys: Capture) -> None:
    assert main(["report", str(CLEAN), "--shard", "1/2", "--format", "html"]) == 2
    assert "--store" in capsys.readouterr().err


@pytest.mark.slow
def test_a_page_holds_the_windows_in_which_the_gpu_computes_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    shutil.copy(SYNCING, tmp_path / "a_rank0.1752215573993169000.json.gz")
    shutil.copy(CLEAN, tmp_path / "b_rank1.1752215573993169001.json.gz")
    monkeypatch.setattr(html_page, "MOST_WINDOWS", 1)
    assert main(["report", str(tmp_path), "--format", "html"]) == 0
    printed = capsys.readouterr()
    assert "This page holds 1 of 2 windows" in printed.err
    assert "those in which the GPUs compute least" in printed.err
    _, _, data = printed.out.partition('id="tbprof-data">')
    shown = json.JSONDecoder().raw_decode(data)[0]["windows"]
    states = {window["worker"]: window["answer"]["state"] for window in shown}
    assert states == {"a_rank0": "ready", "b_rank1": "broken"}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--no-cache",)])
def test_a_page_of_some_windows_holds_that_of_the_late_rank_which_its_job_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: tuple[str, ...]
) -> None:
    write_job(tmp_path / "run", 5)
    monkeypatch.setattr(html_page, "MOST_WINDOWS", 2)
    assert main(["report", str(tmp_path / "run"), "--format", "html", *arguments]) == 0
    _, _, data = capsys.readouterr().out.partition('id="tbprof-data">')
    content = json.JSONDecoder().raw_decode(data)[0]
    late = content["jobs"][0]["view"]["page"]["late"][0]["rank"]
    states = [window["answer"]["state"] for window in content["windows"]]
    assert (states[late], states.count("ready")) == ("ready", 2)
