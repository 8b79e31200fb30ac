"""`tbprof report`: its forms, its exit codes, and what it makes of folders."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePath
from typing import Any

import pytest
from command_line import SAMPLES, said
from report_schema import SCHEMA, differences
from trace_builder import TraceBuilder

from tbprof.cli import reading as module
from tbprof.cli import window_reading
from tbprof.cli.main import main
from tbprof.cli.reading import near_path
from tbprof.model import SEVERITIES
from tbprof.report import build_report
from tbprof.store.codec import encode_report

SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"

Capture = pytest.CaptureFixture[str]


def test_text_says_the_verdict_first_then_the_sites(capsys: Capture) -> None:
    assert main(["report", str(SAMPLE)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    head, blank, verdict, *rest = printed.out.splitlines()
    assert head.startswith(f"{near_path(str(SAMPLE))}: ")
    assert blank == ""
    assert verdict.startswith("The GPU ")
    assert any("SYN02" in line for line in rest)
    assert max(len(line) for line in rest) < 250


def test_a_trace_of_allocations_alone_is_not_said_to_be_empty(tmp_path: Path, capsys: Capture) -> None:
    built = TraceBuilder()
    for at in range(50):
        built.memory(at * 1_000.0, 100 << 20, device=1)
    trace = built.write(tmp_path / "memory.pt.trace.json")
    assert main(["report", str(trace), "--no-cache"]) == 0
    printed = capsys.readouterr().out
    head, _, verdict, *_ = printed.splitlines()
    assert head.endswith(": a recording of 49.0 ms without marked steps, GPU 1")
    assert verdict == "The recording holds allocations only: 50 events of GPU 1."
    assert "`tbprof table memory FILE`" in printed
    assert "sync points  not recorded" in printed
    (peak,) = build_report(trace).memory
    assert peak.peak_ns == 49_000_000


@pytest.mark.parametrize(
    ("first", "recorded"),
    [
        (1_000, "a recording of 9.0 ms without marked steps, "),
        (1_001, "a window of 9.0 ms in a recording of 10.0 ms without marked steps, "),
    ],
)
def test_a_window_that_is_a_part_of_the_recording_is_called_one(
    tmp_path: Path, capsys: Capture, first: float, recorded: str
) -> None:
    built = TraceBuilder()
    built.op("aten::empty", 0, 500)
    built.launch(990, 995, runs=(first, 10_000))
    assert main(["report", str(built.write(tmp_path / "a.pt.trace.json")), "--no-cache"]) == 0
    head, *_ = capsys.readouterr().out.splitlines()
    assert f": {recorded}" in head


@pytest.mark.parametrize(
    ("until", "recorded"),
    [(300, "1 step of 0.3 ms in a recording of 1.0 ms,"), (999, "1 step in a window of 1.0 ms,")],
)
def test_the_length_of_steps_is_that_of_all_figures(
    tmp_path: Path, capsys: Capture, until: float, recorded: str
) -> None:
    """The GPU's, where the host runs ahead: no saving is more than what stands first."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(10, 15, runs=(20, until))
    built.op("aten::empty", 900, 1_000)
    assert main(["report", str(built.write(tmp_path / "a.pt.trace.json")), "--no-cache"]) == 0
    head, *_ = capsys.readouterr().out.splitlines()
    assert recorded in head


def test_the_profilers_own_row_does_not_lengthen_what_was_recorded(tmp_path: Path, capsys: Capture) -> None:
    built = TraceBuilder()
    built.op("aten::conv2d", 8_000, 12_900)
    document = built.to_json()
    (event,) = (event for event in document["traceEvents"] if event["ph"] == "X")
    profiler = {
        **event,
        "cat": "Trace",
        "name": "PyTorch Profiler (0)",
        "ts": event["ts"] - 8_000,
        "dur": 12_900,
    }
    document["traceEvents"].append(profiler)
    trace = tmp_path / "cpu.pt.trace.json"
    trace.write_text(json.dumps(document), encoding="utf-8")
    assert main(["report", str(trace), "--no-cache"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.endswith(": a recording of 4.9 ms without marked steps, no GPU work")
    assert "  window       4.9 ms" in lines


def test_markdown_has_the_sites_as_a_table_and_each_finding_with_its_fix(capsys: Capture) -> None:
    assert main(["report", str(SAMPLE), "--format", "markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("## ")
    rows = [line for line in printed.splitlines() if line.startswith("|")]
    columns = {row.replace("\\|", "").count("|") for row in rows}
    assert len(rows) >= 3
    assert columns == {9}
    assert "### SYN02" in printed
    assert "```python\n# before\n" in printed


def test_markup_in_a_trace_can_not_become_markup_of_the_report(tmp_path: Path, capsys: Capture) -> None:
    trace = json.loads(gzip.decompress(SAMPLE.read_bytes()))
    markup = "a|b`c<img src=x>[x](javascript:1)"
    for event in trace["traceEvents"]:
        if event.get("name") in ("aten::item", "aten::is_nonzero"):
            event["name"] = f"aten::{markup}"
    path = tmp_path / "<b>.json"
    path.write_text(json.dumps(trace), encoding="utf-8")
    assert main(["report", str(path), "--format", "markdown", "--no-cache"]) == 0
    printed = capsys.readouterr().out
    # Between backticks nothing is markup.
    head = printed.splitlines()[0]
    assert head.count("`") == 2
    assert head.endswith("/<b>.json`")
    rows = [line for line in printed.splitlines() if "img src" in line]
    assert rows
    assert all(row.count("|") == 9 and row.count("`") % 2 == 0 for row in rows)


def test_a_folder_gives_all_its_windows(tmp_path: Path, capsys: Capture) -> None:
    for name, trace in (("a", SAMPLE), ("b", CLEAN)):
        (tmp_path / name).mkdir()
        shutil.copy(trace, tmp_path / name)
    assert main(["report", str(tmp_path), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"schema", "reports", "out_of_memory", "run_time", "problems"}
    assert [differences(report, SCHEMA) for report in printed["reports"]] == [[], []]
    assert main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("sync points") >= 2


def test_a_folder_says_what_it_leaves_out_and_shows_the_rest(tmp_path: Path, capsys: Capture) -> None:
    shutil.copy(CLEAN, tmp_path)
    (tmp_path / "x.pt.trace.json").write_text("no trace", encoding="utf-8")
    if os.name != "nt":
        (tmp_path / "link").symlink_to(SAMPLES)
    assert main(["report", str(tmp_path), "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["reports"]) == 1
    lines = printed.err.splitlines()
    assert all(line.startswith("tbprof: ") for line in lines)
    assert any("x.pt.trace.json" in line for line in lines)
    if os.name != "nt":
        leads_out = "a link that leads out of the folder: name the file or folder that it leads to"
        assert f"tbprof: {tmp_path / 'link'}: {leads_out}" in lines


def test_a_stored_report_is_read(tmp_path: Path, capsys: Capture) -> None:
    stored = tmp_path / "w.tbprof.pb"
    stored.write_bytes(encode_report(build_report(SAMPLE), written_by="0.1"))
    assert main(["report", str(stored), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert differences(printed, SCHEMA) == []
    assert printed["trace"]["path"] == str(stored)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_fail_on_exits_with_1_where_a_finding_is_as_bad(severity: str, capsys: Capture) -> None:
    main(["report", str(SAMPLE), "--format", "json"])
    found = {finding["severity"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert found
    as_bad = found & set(SEVERITIES[: SEVERITIES.index(severity) + 1])  # type: ignore[arg-type]
    assert main(["report", str(SAMPLE), "--fail-on", severity]) == (1 if as_bad else 0)
    assert capsys.readouterr().out


def test_fail_on_is_0_where_nothing_was_found(tmp_path: Path, capsys: Capture) -> None:
    stored = tmp_path / "w.tbprof.pb"
    report = dataclasses.replace(build_report(CLEAN), findings=(), fix_plan=(), ranked=None)
    stored.write_bytes(encode_report(report, written_by="0.1"))
    assert main(["report", str(stored), "--fail-on", "info"]) == 0
    assert capsys.readouterr().err == ""


def test_a_large_file_shows_how_far_it_is_on_a_terminal(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["report", str(CLEAN), "--no-cache"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(module, "_PROGRESS_FROM_BYTES", 0)
    monkeypatch.setattr(module, "_PROGRESS_EVERY_S", 0.0)
    assert main(["report", str(CLEAN), "--no-cache"]) == 0
    shown = capsys.readouterr().err
    # The last thing written is the line wiped out.
    assert shown.endswith(" \r")
    assert "\n" not in shown


def tree(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_no_cache_neither_reads_nor_writes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    trace = Path(shutil.copy(CLEAN, tmp_path))
    assert main(["report", str(trace), "--no-cache"]) == 0
    assert tree(cache) == {}
    fresh = capsys.readouterr().out

    assert main(["report", str(trace)]) == 0
    [kept] = cache.rglob("*.pb")
    # A cached report that differs from the trace shows who reads it.
    report = build_report(trace)
    other = dataclasses.replace(report, trace=dataclasses.replace(report.trace, span_ns=123_456_789_000))
    kept.write_bytes(encode_report(other, written_by="0.1"))
    before = tree(cache)
    capsys.readouterr()
    assert main(["report", str(trace), "--no-cache"]) == 0
    assert capsys.readouterr().out == fresh
    assert main(["report", str(trace.parent), "--no-cache", "--format", "json"]) == 0
    [of_folder] = json.loads(capsys.readouterr().out)["reports"]
    assert of_folder["trace"]["span_us"] == report.trace.span_ns / 1000
    assert tree(cache) == before
    assert main(["report", str(trace)]) == 0
    assert "123.5" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="the shell is that of POSIX")
def test_a_pipe_that_is_closed_early_is_no_error() -> None:
    command = [sys.executable, "-m", "tbprof", "report", str(SAMPLES), "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # Before the first byte is written: what fits into the pipe's buffer would be no error.
        process.stdout.close()
        stderr = process.stderr.read()
    assert (process.returncode, stderr) == (0, b"")


def test_several_paths_are_one_report_and_one_that_fails_costs_its_line(
    capsys: Capture, tmp_path: Path
) -> None:
    missing = tmp_path / "missing.json"
    assert main(["report", str(SAMPLE), str(missing), str(CLEAN.parent), "--format", "json"]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert str(missing) in printed.err
    read = json.loads(printed.out)
    paths = [report["trace"]["path"] for report in read["reports"]]
    assert paths[0] == str(SAMPLE)
    assert len(paths) == 2
    assert [problem["path"] for problem in read["problems"]] == [str(missing)]


def test_the_summary_lists_the_runs_as_fleet_does(capsys: Capture) -> None:
    assert main(["report", "--summary", "--format", "json", str(SAMPLES)]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert main(["fleet", "--format", "json", str(SAMPLES)]) == 0
    assert {**summary, "runs": [without_path(row) for row in summary["runs"]]} == json.loads(
        capsys.readouterr().out
    )
    assert main(["report", "--summary", "--top", "1", "--format", "json", str(SAMPLES)]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == summary["runs"][:1]
    assert main(["report", "--summary", "--format", "csv", str(SAMPLES)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(summary["runs"]) + 1


def without_path(row: dict[str, Any]) -> dict[str, Any]:
    """A run by its own name, which a summary of several paths puts its folder before."""
    return {**row, "run": PurePath(row["run"]).name}


def test_runs_of_several_folders_begin_with_the_folder(capsys: Capture) -> None:
    assert main(["report", "--summary", "--format", "json", str(SAMPLES), str(SAMPLE)]) == 0
    runs = {row["run"] for row in json.loads(capsys.readouterr().out)["runs"]}
    assert {str(SAMPLE), (SAMPLES / SAMPLE.parent.name).as_posix()} <= runs


def test_top_is_of_windows_where_no_summary_is_asked_for(capsys: Capture) -> None:
    assert main(["report", "--top", "2", "--format", "json", str(SAMPLES)]) == 0
    assert len(json.loads(capsys.readouterr().out)["reports"]) == 2


def test_the_output_is_a_file_without_colors(capsys: Capture, tmp_path: Path) -> None:
    written = tmp_path / "report.txt"
    assert main(["report", str(SAMPLE), "-o", str(written)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["report", str(SAMPLE)]) == 0
    assert written.read_text(encoding="utf-8") == capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--top", "0"], "give 1 or more"),
        (["--summary", "--format", "html"], "--summary has no html"),
        (["--format", "csv"], "only --summary"),
        (["-o", "/missing/folder/report.txt"], "can't be written"),
    ],
)
def test_what_can_not_be_had_is_one_sentence(capsys: Capture, arguments: list[str], part: str) -> None:
    assert main(["report", str(SAMPLE), *arguments]) == 2
    assert part in said(capsys)


def test_a_list_that_takes_long_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(window_reading, "_PROGRESS_FROM_S", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["report", "--summary", str(SAMPLES)]) == 0
    assert "\rreading windows: 1 of 9" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (("--fail-on", "high"), "--fail-on"),
        (("--format", "json"), "--format json"),
        (("--summary",), "--summary"),
        (("--top", "3"), "--top"),
        (("--store",), "--store"),
        (("--shard", "1/2"), "--shard"),
        (("--workers", "2"), "--workers"),
        ((str(SAMPLE), "--store"), "more than one PATH, --store"),
    ],
)
def test_a_comparison_refuses_what_it_would_leave_undone(
    others: tuple[str, ...], said: str, capsys: Capture
) -> None:
    assert main(["report", str(CLEAN), *others, "--against", str(SAMPLE)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.strip().endswith(f"as text, without {said}")
    assert len(printed.err.strip().splitlines()) == 1


def test_a_comparison_of_two_files_goes_where_it_is_asked(tmp_path: Path) -> None:
    output = tmp_path / "compared.txt"
    asked = ["report", str(CLEAN), "--no-cache", "--against", str(SAMPLE), "-o", str(output)]
    assert main(asked) == 0
    assert output.read_text(encoding="utf-8").startswith(f"{CLEAN} against {SAMPLE}\n")


def test_text_is_as_wide_as_asked_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    sample = str(SAMPLES / "sam_amg_a100")
    main(["report", sample])
    printed = capsys.readouterr().out
    main(["report", sample, "--width", "80"])
    narrow = capsys.readouterr().out
    assert printed.split() == narrow.split()
    longest = max(map(len, re.split(r"\s+", printed)))
    assert longest < max(map(len, narrow.splitlines())) <= 80 < max(map(len, printed.splitlines()))
