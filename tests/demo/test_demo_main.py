"""The demo as the command line starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tbprof.demo.__main__ import main
from tbprof.demo.training import FEWEST_STEPS

ROOT = Path(__file__).resolve().parents[2]


def test_it_trains_twice_to_the_same_loss_and_publishes_both_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tbprof.demo", "--logdir", tmp_path / "logs", "--steps", str(FEWEST_STEPS)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TBPROF_SPOOL": str(tmp_path / "spool")},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    losses = [line.split()[-1] for line in done.stderr.splitlines() if line.startswith("Loss")]
    assert len(losses) == 2
    assert losses[0] == losses[1]
    for run in ("before", "after"):
        files = [path for path in (tmp_path / "logs" / run).iterdir() if path.is_file()]
        suffixes = sorted("".join(path.suffixes[-2:]) for path in files)
        assert suffixes == [".json.gz", ".tbprof.pb"]


def test_too_few_steps_are_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--logdir", str(tmp_path), "--steps", "5"]) == 2
    assert capsys.readouterr().err == "The demo can't train for 5 steps; give 11 or more.\n"
    assert list(tmp_path.iterdir()) == []
