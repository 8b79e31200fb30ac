"""Every command on every kind of stdout and stderr: other encodings, closed, full, left early."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SAMPLES
from timeouts import PATIENCE_S

from tbprof.cli import main as module
from tbprof.cli.main import main

SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
posix = pytest.mark.skipif(os.name == "nt", reason="the shell is that of POSIX")

PRINTING = (
    ("report", str(SAMPLE)),
    ("report", str(SAMPLE), "--format", "markdown"),
    ("report", str(SAMPLE), "--format", "json"),
    ("report", str(SAMPLE), "--format", "html"),
    ("report", str(SAMPLES)),
    ("check", str(SAMPLE)),
    ("check", str(SAMPLE), "--format", "github"),
    ("explain",),
    ("explain", "SYN01"),
    ("demo", "--sample", "--no-serve"),
)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_every_command_prints_in_every_encoding(
    arguments: tuple[str, ...], encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, run_warnings = io.BytesIO(), io.StringIO()
    monkeypatch.setattr(module.sys, "stdout", io.TextIOWrapper(file, encoding=encoding))
    monkeypatch.setattr(module.sys, "stderr", run_warnings)
    assert (main(arguments), run_warnings.getvalue()) == (0, "")
    assert len(file.getvalue().decode(encoding)) > 200


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of a shell, in which `tbprof` is the command."""
    line = command.replace("tbprof ", f"{sys.executable} -m tbprof ")
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "", "SAMPLE": str(SAMPLE), **environment},
        check=False,
        timeout=PATIENCE_S,
    )


@posix
def test_a_locale_without_an_encoding_of_its_own_is_enough() -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    ended = shell("tbprof report $SAMPLE", **plain)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.isascii()
    assert " ms" in ended.stdout


@posix
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("tbprof report $SAMPLE >&-", 2, "can't be written (Bad file descriptor)"),
        ("tbprof report $SAMPLE > /dev/full", 2, "can't be written (No space left on device)"),
        ("tbprof --help > /dev/full", 2, "can't be written (No space left on device)"),
        ("tbprof explain SYN01 >&-", 2, "can't be written (Bad file descriptor)"),
        ("tbprof report /nowhere 2>&-", 2, ""),
        ("tbprof report /nowhere 2> /dev/full", 2, ""),
        ("tbprof report 2>&-", 2, ""),
        ("tbprof report 2> /dev/full", 2, ""),
        ("tbprof explain SYN01 2>&- > /dev/null", 0, ""),
        ("tbprof explain SYN01 <&- > /dev/null", 0, ""),
        ("tbprof explain SYN01 <&- >&- 2>&-", 2, ""),
    ],
)
def test_a_stream_that_is_closed_or_full_is_at_most_one_sentence(command: str, code: int, said: str) -> None:
    ended = shell(command)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr.count("\n") == bool(said)
    assert said in ended.stderr
    assert "fault of tbprof" not in ended.stderr


@posix
def test_a_check_that_fails_fails_whether_or_not_its_reader_stays() -> None:
    ended = shell("set -o pipefail; tbprof check --forbid SYN $SAMPLE | true")
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    "command",
    [
        "cat $SAMPLE | tbprof report -",
        "cat $SAMPLE | tbprof report /dev/stdin",
        "tbprof report - < $SAMPLE",
        "tbprof report <(gzip -dc $SAMPLE)",
        "tbprof check <(gzip -dc $SAMPLE)",
    ],
)
def test_a_trace_comes_through_a_pipe_as_well(command: str, tmp_path: Path) -> None:
    ended = shell(command, TMPDIR=str(tmp_path))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "SYN02" in ended.stdout
    assert str(tmp_path) not in ended.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("tbprof report - <&-", "nothing is piped into -"),
        ("tbprof report - < /dev/null", "nothing came through -: see what the command before it says"),
        ("true | tbprof check /dev/stdin", "nothing came through /dev/stdin: "),
        ("echo no trace | tbprof report -", "-"),
        ("yes | tbprof report -", "-"),
        ("tbprof report /dev/fd/9", "/dev/fd/9 can't be read"),
    ],
)
def test_a_pipe_without_a_trace_is_one_sentence_about_it(command: str, said: str) -> None:
    ended = shell(command)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"tbprof: {said}")
    assert ended.stderr.count("\n") == 1
    assert "stdin.json" not in ended.stderr


@posix
def test_a_prediction_is_judged_from_a_pipe_as_well() -> None:
    document = (
        '{"schema": 1, "predicted": true, "preflight": {"ending": "finished", "error": ""}, '
        '"steps": [], "sites": [], "findings": []}'
    )
    ended = shell(f"echo '{document}' | tbprof check -")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("-\n")


@pytest.mark.slow
@posix
@pytest.mark.parametrize(("redirected", "code"), [("", 0), (" >&-", 2)], ids=["open", "closed"])
def test_a_prediction_is_printed_where_it_can_be(tmp_path: Path, redirected: str, code: int) -> None:
    pytest.importorskip("torch")
    (tmp_path / "训练.py").write_text("print('of the program')", encoding="utf-8")
    ended = shell(f"tbprof preflight {tmp_path}/训练.py{redirected}", PYTHONIOENCODING="latin-1")
    said = ["of the program", *["tbprof: the output can't be written"] * (code == 2)]
    assert ended.returncode == code, ended.stderr
    assert [line.partition(" (")[0] for line in ended.stderr.splitlines()] == said
    assert ("\\u8bad\\u7ec3.py: predicted" in ended.stdout) == (code == 0)


def test_more_than_there_is_room_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tbprof.cli import reading

    source = tmp_path / "trace.json"
    source.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
    monkeypatch.setattr(reading, "_PIECE_BYTES", 600)
    monkeypatch.setattr(reading, "_MOST_BYTES", 1000)
    with source.open("rb") as file, contextlib.ExitStack() as stack:
        stdin = stack.enter_context(io.TextIOWrapper(file))
        monkeypatch.setattr(reading.sys, "stdin", stdin)
        assert main(["report", "-"]) == 2
    assert "- gives more than 1,000 bytes" in capsys.readouterr().err
