"""Whatever a trace, a report and their names hold, no command lets it steer a terminal or a workflow."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from command_line import run_tbprof
from hostile_text import STEERING, hostile_report, hostile_trace

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform == "win32", reason="no such file can be named there"),
]

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]|##\\[")
COMMANDS = re.compile(r"^\s*::[a-z-]+[ :].*", re.MULTILINE)
OF_GITHUB = re.compile(r"^::(error|warning|notice) [^:]*::")

LINES = (
    *("report {}", "report {} --format markdown", "report {} --format json", "report {} --format html"),
    *("check {}", "check {} --list", "check {} --format github", "check {} --format sarif"),
    *("check {} --format json", "check {} --format markdown", "classic {} -o {out}", "doctor {folder}"),
    *("table operators {}", "table kernels {} --format csv", "table modules {}", "table collectives {}"),
    *("report {folder}", "fleet {folder}", "fleet {folder} --format markdown", "fleet {folder} --format csv"),
    *("job {folder}", "check {folder}", "report {folder} --format markdown", "check {} --baseline {}"),
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose folder, traces and report are all called something that steers."""
    run = tmp_path_factory.mktemp("logs") / "run\x1b[31m\r\n::error::owned\u202e"
    run.mkdir()
    trace = hostile_trace(STEERING)
    report, taken = hostile_report(STEERING)
    assert taken > 60
    (run / "a\x1b[2J##[error]b.trace.json").write_bytes(trace)
    (run / "c\n::error::d_rank0.1752215573993169006.tbprof.pb").write_bytes(report)
    (run / "e\x9b_rank1.1752215573993169006.trace.json").write_text("not json \x1b[31m", encoding="utf-8")
    (run / "f\x1b[31m.trace.json").symlink_to("/dev/zero\x1b")
    return run


@pytest.mark.parametrize("line", LINES)
def test_nothing_that_is_printed_steers(hostile: Path, tmp_path: Path, line: str) -> None:
    files = [path for path in sorted(hostile.iterdir()) if not path.is_symlink()]
    for file in files if "{}" in line else files[:1]:
        places = {"folder": str(hostile.parent), "out": str(tmp_path / "out")}
        arguments = [word.format(file, **places) for word in line.split()]
        done = run_tbprof(*arguments, environment={"GITHUB_ACTIONS": "true"})
        assert done.returncode in (0, 1, 2)
        for printed in (done.stdout, done.stderr):
            assert STEERS.findall(printed) == [], (file.name, printed[:2000])
            commands = COMMANDS.findall(printed)
            if "github" in line:
                commands = [one for one in commands if not OF_GITHUB.match(one)]
            assert commands == [], file.name
            assert "Traceback" not in printed
