"""The `tbprof` command as a shell runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"


def run_tbprof(
    *arguments: str | Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run it in a process of its own, and take what it prints."""
    return subprocess.run(
        [sys.executable, "-m", "tbprof", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(environment or {})},
        check=False,
        timeout=PATIENCE_S,
    )


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence on stderr, with nothing on stdout."""
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("tbprof: ")
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    assert "fault of tbprof" not in printed.err
    return printed.err.removeprefix("tbprof: ").rstrip("\n")
