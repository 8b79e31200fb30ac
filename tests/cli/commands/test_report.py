"""`tbprof report`: its forms, its exit codes, and its one sentence for what can't be done."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import SAMPLES, run_tbprof
from trace_builder import TraceBuilder

from tbprof.cli.input import reading as module
from tbprof.cli.input import window_reading
from tbprof.cli.main import main
from tbprof.cli.output.near_paths import near_path
from tbprof.model import SEVERITIES
from tbprof.report import build_report
from tbprof.store.codec import encode_report

SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"

Capture = pytest.CaptureFixture[str]


def said(capsys: Capture) -> str:
    """The one sentence on stderr, with nothing on stdout."""
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("tbprof: ")
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    assert "fault of tbprof" not in printed.err
    return printed.err.removeprefix("tbprof: ").rstrip("\n")


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
    assert head.endswith(": a recording of 49.0\u202fms without marked steps, GPU 1")
    assert verdict == "The recording holds allocations only: 50 events of GPU 1."
    assert "`tbprof table memory FILE`" in printed
    assert "sync points  not recorded" in printed
    (peak,) = build_report(trace).memory
    assert peak.peak_ns == 49_000_000


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
    assert head.endswith(": a recording of 4.9\u202fms without marked steps, no GPU")
    assert "  window       4.9\u202fms" in lines


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
    assert "\\<b\\>" in printed.splitlines()[0]
    rows = [line for line in printed.splitlines() if "img src" in line]
    assert rows
    assert all(row.count("|") == 9 and row.count("`") % 2 == 0 for row in rows)


# The type of each value of the machine-readable report: a list holds the type of its items, a
# set the types that a value may have, `dict[str, x]` any keys. Nothing may be missing or added.
TIME = float
SAVING = {"floor_us": TIME, "estimate_us": (TIME, None), "ceiling_us": TIME}
IDLE = {"device_us": TIME, "empty_us": TIME, "queued_us": TIME, "by_cause": dict[str, float]}
SCHEMA: Any = {
    "schema": int,
    "trace": {
        "path": str,
        "worker": str,
        "rank": (int, None),
        "world_size": (int, None),
        "devices": [str],
        "era": str,
        "span_us": TIME,
        "num_events": int,
        "health": [{"code": str, "severity": str, "message": str, "numbers": dict[str, object]}],
    },
    "steps": [
        {
            "name": str,
            "start_us": TIME,
            "duration_us": TIME,
            "cold": bool,
            "sync_points": int,
            "wait_us": TIME,
            "device_idle_us": (TIME, None),
            "idle_empty_us": (TIME, None),
            "gpu_lag_us": (TIME, None),
        }
    ],
    "sync_points": {
        "count": int,
        "wait_us": TIME,
        "wait_in_copy_us": TIME,
        "wait_in_sync_us": TIME,
        "explained_us": TIME,
        "profiler_own_us": [TIME],
    },
    "copies": [{"direction": str, "memory": str, "count": int, "bytes": int, "blocking": int}],
    "sites": [
        {
            "direction": str,
            "memory": str,
            "calls": [str],
            "ops": [str],
            "source": (
                {"file": str, "line": (int, None), "function": str, "exact": bool, "candidates": [int]},
                None,
            ),
            "label": (str, None),
            "module": (str, None),
            "count": int,
            "blocking": int,
            "per_step": [int],
            "bytes": int,
            "wait_us": TIME,
            "wait_net_us": TIME,
            "explained_us": TIME,
            "starve_us": TIME,
        }
    ],
    "idle": (
        {
            **IDLE,
            "by_device": dict[str, object],
            "places": [
                {"cause": str, "idle_us": TIME, "place": str, "site": (int, None), "drained_by": (int, None)}
            ],
        },
        None,
    ),
    "code": [{"kind": str, "name": str, "host_us": TIME, "device_us": TIME, "launches": int}],
    "savings": ({**SAVING, "calibrated": bool, "replay_error": (float, None)}, None),
    "findings": [
        {
            "rule": str,
            "severity": str,
            "sites": [int],
            "steps": [int],
            "count": int,
            "removal": str,
            "saving": (SAVING, None),
            "confidence": str,
            "evidence": [
                {"kind": str, "start_us": TIME, "duration_us": TIME, "step": (int, None), "row": int}
            ],
            "numbers": dict[str, object],
            "fingerprint": str,
        }
    ],
    "fix_plan": [{"finding": int, "adds_us": TIME, "total_us": TIME, "ceiling_us": TIME}],
    "verdict": ({"case": str, "numbers": dict[str, object]}, None),
    "not_checked": [{"rule": str, "needs": str}],
    "failed_rules": [{"rule": str, "error": str}],
    "predicted_lines": [
        {
            "rule": str,
            "kind": str,
            "source": dict[str, object],
            "call": str,
            "count": int,
            "known": str,
            "fingerprint": str,
        }
    ],
    "recorded_calls": [
        {
            "file": str,
            "line": int,
            "function": str,
            "call": str,
            "count": int,
            "devices": [str],
            "pinned": (bool, None),
            "non_blocking": (bool, None),
        }
    ],
}


def differences(value: Any, schema: Any, at: str = "") -> list[str]:
    """Where a value is not as the schema has it; keys may be added, as the schema's rule allows."""
    if isinstance(schema, tuple):
        results = [differences(value, one, at) for one in schema]
        return [] if any(not result for result in results) else results[0]
    if schema is None:
        return [] if value is None else [f"{at} is not null"]
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{at} is no object"]
        missing = [f"{at}.{key} is missing" for key in schema if key not in value]
        there = {key: value[key] for key in schema if key in value}
        return missing + [
            found for key, inner in there.items() for found in differences(inner, schema[key], f"{at}.{key}")
        ]
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{at} is no list"]
        return [found for i, item in enumerate(value) for found in differences(item, schema[0], f"{at}[{i}]")]
    if schema in (dict[str, object], dict[str, float]):
        return [] if isinstance(value, dict) else [f"{at} is no object"]
    exact = isinstance(value, (int, float)) if schema is float else isinstance(value, schema)
    is_bool = isinstance(value, bool) and schema is not bool
    return [] if exact and not is_bool else [f"{at} is {type(value).__name__}"]


def forbid(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("trace", sorted(SAMPLES.glob("*/*.json.gz")), ids=lambda path: path.parent.name)
def test_json_has_every_key_of_the_schema(trace: Path, capsys: Capture) -> None:
    assert main(["report", str(trace), "--format", "json", "--no-cache"]) == 0
    printed = json.loads(capsys.readouterr().out, parse_constant=forbid)
    assert printed["schema"] == 1
    assert differences(printed, SCHEMA) == []
    if printed["idle"] is not None:
        for device in printed["idle"]["by_device"].values():
            assert differences(device, IDLE) == []


def test_the_schema_check_sees_what_is_missing_or_of_another_type(capsys: Capture) -> None:
    assert main(["report", str(SAMPLE), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    del printed["trace"]["rank"]
    printed["sites"][0]["count"] = True
    printed["steps"][0]["wait_us"] = None
    printed["savings"]["estimate_us"] = "soon"
    assert sorted(differences(printed, SCHEMA)) == [
        ".savings.estimate_us is str",
        ".sites[0].count is bool",
        ".steps[0].wait_us is NoneType",
        ".trace.rank is missing",
    ]


def test_a_folder_gives_all_its_windows(tmp_path: Path, capsys: Capture) -> None:
    for name, trace in (("a", SAMPLE), ("b", CLEAN)):
        (tmp_path / name).mkdir()
        shutil.copy(trace, tmp_path / name)
    assert main(["report", str(tmp_path), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"schema", "reports", "out_of_memory", "problems"}
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
    report = dataclasses.replace(build_report(CLEAN), findings=(), fix_plan=())
    stored.write_bytes(encode_report(report, written_by="0.1"))
    assert main(["report", str(stored), "--fail-on", "info"]) == 0
    assert capsys.readouterr().err == ""


def test_a_missing_file_is_said(tmp_path: Path, capsys: Capture) -> None:
    assert main(["report", str(tmp_path / "missing.json")]) == 2
    assert f"{tmp_path / 'missing.json'} can't be read (No such file or directory)" in said(capsys)


def test_a_missing_file_is_said_on_a_terminal_too(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["report", str(tmp_path / "missing.json")]) == 2
    assert "No such file" in said(capsys)


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


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.json.gz", "a.tbprof.pb"])
@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b", bytes(range(256))])
def test_a_file_that_is_no_trace_is_said(tmp_path: Path, capsys: Capture, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert main(["report", str(tmp_path / name)]) == 2
    assert str(tmp_path / name) in said(capsys)


def test_a_folder_without_traces_is_said(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    assert main(["report", str(tmp_path)]) == 2
    assert f"there is no trace or report to read in {tmp_path}" in said(capsys)


def test_a_name_of_two_lines_is_said_on_one(tmp_path: Path, capsys: Capture) -> None:
    assert main(["report", str(tmp_path / "a\n\x1b[31mb.json")]) == 2
    assert "\x1b" not in said(capsys)


def test_a_name_that_is_too_long_is_said(capsys: Capture) -> None:
    assert main(["report", "x" * 300]) == 2
    assert "can't be read" in said(capsys)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_a_file_that_may_not_be_read_is_said(tmp_path: Path, capsys: Capture) -> None:
    trace = Path(shutil.copy(CLEAN, tmp_path))
    # pytest's folders are the user's alone, so that nobody else sees even the name.
    before = os.geteuid()
    os.seteuid(65534)
    try:
        code = main(["report", str(trace), "--no-cache"])
    finally:
        os.seteuid(before)
    assert code == 2
    assert "can't be read (Permission denied)" in said(capsys)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_name_that_is_no_utf8_is_read(tmp_path: Path, form: str) -> None:
    path = shutil.copy(CLEAN, tmp_path / os.fsdecode(b"a\xff.json.gz"))
    ended = run_tbprof("report", path, "--format", form, "--no-cache")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are UTF-8 in every locale")
def test_a_name_that_the_locale_does_not_expect_is_not_called_bad(tmp_path: Path) -> None:
    shutil.copy(CLEAN, tmp_path / "wörker.pt.trace.json.gz")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    ended = run_tbprof("report", tmp_path, "--no-cache", environment=ascii_only)
    assert ended.returncode == 2
    assert "rker.pt.trace.json.gz: its name is UTF-8, which" in ended.stderr
    assert run_tbprof("report", tmp_path, environment={**ascii_only, "PYTHONUTF8": "1"}).returncode == 0


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


def test_every_malformed_file_gives_a_report_or_one_sentence(traces: Path, capsys: Capture) -> None:
    files = sorted((traces / "malformed").iterdir())
    assert len(files) >= 20
    codes = {}
    for path in files:
        codes[path.name] = main(["report", str(path), "--format", "json", "--no-cache"])
        if codes[path.name] == 2:
            assert path.name in said(capsys)
        else:
            assert differences(json.loads(capsys.readouterr().out, parse_constant=forbid), SCHEMA) == []
    assert set(codes.values()) == {0, 2}
    assert codes["empty.pt.trace.json"] == codes["not_json.pt.trace.json"] == 2
    assert codes["truncated.pt.trace.json.gz"] == codes["nan_value.pt.trace.json"] == 0


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


def test_the_summary_is_a_line_a_run_and_top_leaves_the_most_idle(capsys: Capture) -> None:
    assert main(["report", "--summary", str(SAMPLES)]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("run ")
    assert {line.split()[0] for line in lines} == {path.name for path in SAMPLES.iterdir() if path.is_dir()}
    assert main(["report", "--summary", "--top", "1", "--format", "json", str(SAMPLES)]) == 0
    (row,) = json.loads(capsys.readouterr().out)["runs"]
    assert row["run"] == lines[0].split()[0]
    assert main(["report", "--summary", "--format", "csv", str(SAMPLES)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(lines) + 1


def test_runs_of_several_folders_begin_with_the_folder(capsys: Capture) -> None:
    assert main(["report", "--summary", "--format", "json", str(SAMPLES), str(SAMPLE)]) == 0
    runs = {row["run"] for row in json.loads(capsys.readouterr().out)["runs"]}
    assert {str(SAMPLE), (SAMPLES / SAMPLE.parent.name).as_posix()} <= runs


def test_top_is_of_windows_where_no_summary_is_asked_for(capsys: Capture) -> None:
    assert main(["report", "--top", "2", "--format", "json", str(SAMPLES)]) == 0
    assert len(json.loads(capsys.readouterr().out)["reports"]) == 2


def test_the_output_is_a_file_without_colours(capsys: Capture, tmp_path: Path) -> None:
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
    assert "\rreading windows: 1 of 5" in capsys.readouterr().err
