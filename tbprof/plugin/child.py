"""A module of tbprof's as a process of its own, asked and answering through pipes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["close_input", "start_worker"]


def start_worker(module: str) -> subprocess.Popen[bytes]:
    """Start `python -m module`, out of sight of any GPU.

    Raises:
        OSError: It can't be started.
    """
    # The folder that TensorBoard was started in may hold a numpy.py: it must not be imported.
    isolation = ["-P"] if sys.version_info >= (3, 11) else []
    home = str(Path(__file__).parent.parent.parent)
    return subprocess.Popen(
        [sys.executable, *isolation, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=home,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )


def close_input(process: subprocess.Popen[bytes]) -> None:
    """Of one that has ended."""
    assert process.stdin is not None, "it was started with a pipe"
    # What was written to a process that died has nowhere to go.
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
