"""What a command imports: its start is most of the wait for a small window."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SAMPLES

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


def imported(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(ended.stderr.split())


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_to_name_the_commands_imports_none(arguments: list[str]) -> None:
    names = imported(*arguments)
    assert sum(name.startswith("tbprof") for name in names) <= 12
    assert not any(name.startswith("tbprof.cli.commands.") for name in names)


def test_to_say_its_version_needs_no_parser() -> None:
    assert not {"argparse", "enum", "re", "typing"} & imported("--version")


def test_a_report_that_is_at_hand_needs_no_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = ("report", str(CLEAN), "--format", "json")
    assert "tbprof.analysis.facts" in imported(*asked)
    again = imported(*asked)
    assert not {"numpy", "msgspec", "tbprof.analysis.facts", "tbprof.rules.registry"} & again
    assert sum(name.startswith("tbprof") for name in again) <= 72
    printed = imported("report", str(CLEAN))
    assert not {"numpy", "msgspec", "tbprof.analysis.facts", "tbprof.rules.registry"} & printed
