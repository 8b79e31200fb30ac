"""`tbprof job`: all ranks of a run together."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from job_scenes import LATE, LATE_US, write_job, write_job_that_loses_ranks

from tbprof.cli.main import main


@pytest.fixture
def traces(tmp_path: Path) -> list[Path]:
    return write_job(tmp_path / "run", 3)


def printed(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert main(["job", "--no-cache", *map(str, arguments)]) == code
    return capsys.readouterr().out


def test_text_names_the_late_rank_its_cause_and_the_gain(
    capsys: pytest.CaptureFixture[str], traces: list[Path]
) -> None:
    text = printed(capsys, traces[0].parent)
    assert text.startswith("3 ranks: the others wait 36 % of a step for rank 1")
    assert "Make the data loader of rank 1 faster" in text
    assert "all_reduce" in text


def test_json_has_the_keys_that_are_promised(capsys: pytest.CaptureFixture[str], traces: list[Path]) -> None:
    found = json.loads(printed(capsys, traces[0].parent, "--format", "json"))
    ranks = "rank step_us computing_us communication_exposed_us transfer_us arrival_wait_us late_us latest_in"
    assert set(ranks.split()) <= found["ranks"][0].keys()
    assert {"schema", "matched", "unmatched", "missing", "problems"} <= found.keys()
    assert {"step_us", "ideal_us", "floor_us", "ceiling_us"} <= found["what_if"].keys()
    (late,) = found["late"]
    assert (late["rank"], late["cause"], late["late_us"]) == (LATE, "data", LATE_US)
    assert {"source", "numbers"} <= late.keys()


@pytest.mark.slow
def test_files_in_any_order_give_the_same_bytes(
    capsys: pytest.CaptureFixture[str], traces: list[Path]
) -> None:
    forms = {printed(capsys, *order, "--format", "json") for order in (traces, traces[::-1])}
    assert len(forms) == 1


def test_markdown_has_a_table_of_ranks(capsys: pytest.CaptureFixture[str], traces: list[Path]) -> None:
    assert "| 1 | 1.1 | 0.5 |" in printed(capsys, traces[0].parent, "--format", "markdown")


def test_a_folder_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["job", str(tmp_path / "none")]) == 2
    streams = capsys.readouterr()
    assert (streams.out, "none can't be read (No such file or directory)" in streams.err) == ("", True)


def test_a_damaged_rank_is_named_and_the_others_stand(
    capsys: pytest.CaptureFixture[str], traces: list[Path]
) -> None:
    traces[2].write_bytes(traces[2].read_bytes()[:40])
    found = json.loads(printed(capsys, traces[0].parent, "--format", "json"))
    assert [problem["rank"] for problem in found["problems"]] == [2]
    assert [rank["rank"] for rank in found["ranks"]] == [0, 1]
    assert found["late"][0]["rank"] == LATE


def test_an_unreadable_file_that_tells_no_rank_is_counted_once(
    capsys: pytest.CaptureFixture[str], traces: list[Path]
) -> None:
    for rank, trace in enumerate(traces):
        content = json.loads(gzip.decompress(trace.read_bytes()))
        content["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 3}
        plain = trace.with_name(f"worker{rank}.{1752215573993 + rank}.pt.trace.json")
        plain.write_text("" if rank == 2 else json.dumps(content))
        trace.unlink()
    found = json.loads(printed(capsys, traces[0].parent, "--format", "json"))
    assert found["verdict"].startswith("The 2 ranks compared of 3: ")
    assert found["detail"].startswith("worker2 is not compared: if it is the late one")
    assert found["missing"] == []
    assert found["notes"][0] == "Rank 2 is most likely worker2, whose file tells no rank of this job."
    assert found["notes"][1].startswith("worker2 is left out: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--window", "2"], "there is no window 2"),
        (["--window", "0"], "--window 0 names no window"),
        (["--workers", "many"], "many names no workers"),
    ],
)
def test_what_can_not_be_had_is_said(
    capsys: pytest.CaptureFixture[str], traces: list[Path], arguments: list[str], sentence: str
) -> None:
    assert main(["job", str(traces[0].parent), *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_of_several_runs_one_is_to_be_named(capsys: pytest.CaptureFixture[str], traces: list[Path]) -> None:
    logs = traces[0].parents[1]
    write_job(logs / "other", 2)
    assert main(["job", str(logs)]) == 2
    assert "holds 2 runs: name one of" in capsys.readouterr().err


def test_of_two_trainings_in_one_folder_the_later_one_is_meant(
    capsys: pytest.CaptureFixture[str], traces: list[Path]
) -> None:
    earlier = traces[0].with_name("node_9_rank0.1600000000000000000.pt.trace.json.gz")
    earlier.write_bytes(traces[1].read_bytes())
    found = json.loads(printed(capsys, earlier.parent, "--format", "json"))
    assert [rank["worker"] for rank in found["ranks"]] == ["node_0_rank0", "node_1_rank1", "node_2_rank2"]
    assert found["notes"] == ["node_9_rank0 is left out: a later training of this run has its rank."]


@pytest.mark.slow
def test_a_newer_window_that_some_rank_lacks_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    write_job_that_loses_ranks(run)
    note = json.loads(printed(capsys, run, "--format", "json"))["notes"][0]
    assert note == (
        "Window 2 of 3 is shown, the last that all ranks have: of window 3, the newest, rank 1 has none, "
        "and that of rank 2 is damaged. `tbprof job --window 3` shows it."
    )
    assert note in printed(capsys, run)
    # Who asks for another one knows it.
    assert "the newest" not in printed(capsys, run, "--window", "2")
    assert "Rank 1 recorded no window" in printed(capsys, run, "--window", "3")


def test_a_window_that_is_just_arriving_is_told_as_such(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    write_job(run, 3)
    for late in write_job(run, 3, 2)[1:]:
        late.unlink()
    text = printed(capsys, run)
    assert "of window 2, the newest, rank 1, rank 2 have none so far." in text


def test_where_all_ranks_have_the_newest_window_nothing_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    for window in (1, 2):
        write_job(run, 3, window)
    assert json.loads(printed(capsys, run, "--format", "json"))["notes"] == []
