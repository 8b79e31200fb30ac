"""What a command imports: its start is most of the wait for a small window."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SAMPLES

from tbprof.report import build_report
from tbprof.store.codec import encode_report

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
_PROGRAM = """
import sys
from tbprof.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
ours = ("tbprof", "numpy", "msgspec", "argparse", "enum", "re", "typing")
print(*(name for name in sys.modules if name.split(".")[0] in ours), file=sys.stderr)
"""
_OF_THE_ANALYSIS = {"numpy", "tbprof.analysis.facts", "tbprof.rules.registry"}


def imported(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(ended.stderr.split())


def ours_among(names: set[str]) -> int:
    return sum(name.startswith("tbprof") for name in names)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_to_name_the_commands_imports_none(arguments: list[str]) -> None:
    names = imported(*arguments)
    assert ours_among(names) <= 12
    assert not any(name.startswith("tbprof.cli.commands.") for name in names)


def test_to_say_its_version_needs_no_parser() -> None:
    assert not {"argparse", "enum", "re", "typing"} & imported("--version")


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["explain", "SYN01"], 39), (["report", "--help"], 58), (["check", "--help"], 138)],
)
def test_what_reads_no_trace_needs_nothing_that_does(arguments: list[str], most: int) -> None:
    names = imported(*arguments)
    assert not _OF_THE_ANALYSIS & names
    assert ours_among(names) <= most


def test_a_report_that_is_at_hand_needs_no_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = ("report", str(CLEAN), "--format", "json")
    first = imported(*asked)
    assert "tbprof.analysis.facts" in first
    assert ours_among(first) <= 463
    # Some functions of numpy bring it, and it takes longer than all of a small trace's rules.
    assert "numpy.ma" not in first
    again = imported(*asked)
    assert not _OF_THE_ANALYSIS & again
    assert ours_among(again) <= 94
    printed = imported("report", str(CLEAN))
    assert not _OF_THE_ANALYSIS & printed
    assert ours_among(printed) <= 138


def test_a_stored_report_needs_nothing_that_reads_traces(tmp_path: Path) -> None:
    stored = tmp_path / "run" / "worker.1752215573993169006.tbprof.pb"
    stored.parent.mkdir()
    stored.write_bytes(encode_report(build_report(CLEAN), written_by="1"))
    printed = imported("report", str(stored))
    assert not _OF_THE_ANALYSIS & printed
    assert "tbprof.trace.importers.kineto.sniff" not in printed
    assert ours_among(printed) <= 146
