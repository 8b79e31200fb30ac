"""`tbprof report` of what it can't read: one sentence, and what else there is."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof, said
from report_schema import SCHEMA, differences, forbid

from tbprof.cli.main import main

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"

Capture = pytest.CaptureFixture[str]


def test_a_missing_file_is_said(tmp_path: Path, capsys: Capture) -> None:
    assert main(["report", str(tmp_path / "missing.json")]) == 2
    assert f"{tmp_path / 'missing.json'} can't be read (No such file or directory)" in said(capsys)


def test_a_missing_file_is_said_on_a_terminal_too(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["report", str(tmp_path / "missing.json")]) == 2
    assert "No such file" in said(capsys)


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


@pytest.mark.slow
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


@pytest.mark.slow
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
