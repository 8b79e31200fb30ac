"""The demo as a person starts it, without a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class TrainedDemo:
    """What it left behind."""

    logs: Path
    """With the runs `before` and `after`, and the samples."""
    said: str
    """On stdout."""
    told: str
    """On stderr."""


def train_demo(folder: Path) -> TrainedDemo:
    own = {"PYTHONPATH": REPOSITORY, "TBPROF_SPOOL": folder / "spool", "XDG_CACHE_HOME": folder / "cache"}
    done = subprocess.run(
        [sys.executable, "-m", "tbprof", "demo", "--no-serve", "--logdir", folder / "logs"],
        cwd=folder,
        env={**os.environ, **{name: str(path) for name, path in own.items()}},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return TrainedDemo(folder / "logs", done.stdout, done.stderr)
