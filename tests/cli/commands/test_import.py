"""`tbprof import`: traces of other tools, in a run that both tabs read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from command_line import SAMPLES
from nsight_export import GLOBAL_PID, OTHER_PID, write_export

from tbprof.cli.main import main
from tbprof.store.discovery import Discovery
from tbprof.trace.importers.sniffing import looks_like_trace

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"


def rank_trace(path: Path, rank: int) -> Path:
    event = {
        "ph": "X",
        "cat": "cpu_op",
        "name": "aten::add",
        "pid": 7,
        "tid": 7,
        "ts": 1752215573993169.5,
        "dur": 3,
    }
    trace = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank}, "traceEvents": [event]}
    path.write_text(json.dumps(trace), encoding="utf-8")
    return path


def names_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_ranks_land_in_one_run_and_are_not_brought_in_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [rank_trace(tmp_path / f"libkineto_activities_{rank + 4}.json", rank) for rank in range(2)]
    logdir = tmp_path / "logs"
    arguments = ["import", *map(str, files), "--logdir", str(logdir), "--run", "job"]
    assert main(arguments) == 0
    assert "rank 1; no steps, no device rows, no shapes" in capsys.readouterr().out
    expected = [
        f"job/dynolog_{rank + 4}_rank{rank}.1752215573993169500.pt.trace.json.gz" for rank in range(2)
    ]
    assert names_in(logdir) == expected
    assert [gzip.decompress((logdir / name).read_bytes()) for name in expected] == [
        file.read_bytes() for file in files
    ]
    # Neither its name nor the space before its first bracket makes it another trace.
    (tmp_path / "renamed.json").write_bytes(b"\n " + files[0].read_bytes())
    assert main(["import", str(tmp_path / "renamed.json"), "--logdir", str(logdir), "--run", "job"]) == 0
    assert "is there already" in capsys.readouterr().out
    assert names_in(logdir) == expected
    windows = Discovery(logdir, looks_like_trace).find().windows
    assert [window.worker for window in windows] == ["dynolog_4_rank0", "dynolog_5_rank1"]


def test_a_file_that_gives_nothing_costs_none_of_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "empty.json": b"",
        "cut.json.gz": CLEAN.read_bytes()[:-5_000],
        "recording.nsys-rep": b"NSYS",
        "text.json": b"{}",
        "packed.json": CLEAN.read_bytes(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    paths = [str(tmp_path / name) for name in (*files, "missing.json")]
    assert main(["import", *paths, "--logdir", str(tmp_path / "logs"), "--run", "r"]) == 2
    printed = capsys.readouterr()
    assert [line.split()[1].rpartition("/")[2] for line in printed.out.splitlines()] == ["packed.json"]
    assert len(printed.err.splitlines()) == len(paths) - 1
    assert "nsys export --type sqlite" in printed.err
    assert len(names_in(tmp_path / "logs")) == 1


def test_a_recording_gives_a_trace_of_each_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = write_export(tmp_path / "job.sqlite", processes=(GLOBAL_PID, OTHER_PID))
    assert main(["import", str(recording), "--logdir", str(tmp_path / "logs"), "--run", "r"]) == 0
    assert "Nsight Systems records no shapes, Python lines" in capsys.readouterr().out
    times = "1752215573000999900"
    assert names_in(tmp_path / "logs") == [f"r/node-one_{pid}.{times}.pt.trace.json.gz" for pid in (77, 78)]


@pytest.mark.parametrize("name", ["../other", "/etc", " ", "a\nb", "a\u200bb"])
def test_a_run_lies_in_the_log_directory(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = rank_trace(tmp_path / "trace.json", 0)
    assert main(["import", str(trace), "--logdir", str(tmp_path / "logs"), "--run", name]) == 2
    assert "is no folder of" in capsys.readouterr().err


def test_what_lies_in_the_log_directory_stays_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = rank_trace(tmp_path / "trace.json", 0)
    assert main(["import", str(trace), "--logdir", str(tmp_path), "--run", "r"]) == 2
    assert "tbprof classic" in capsys.readouterr().err
    assert names_in(tmp_path) == ["trace.json"]
