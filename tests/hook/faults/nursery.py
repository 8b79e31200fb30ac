"""Runs training scripts in processes that need not import torch first."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Ended", "Nursery", "nursery", "processes_of", "wait_for_children"]

ROOT = Path(__file__).resolve().parents[3]
SERVER = Path(__file__).with_name("process_nursery.py")


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it said."""

    exit_code: int | None
    """None: it hung, and was killed; negative: a signal's number."""
    stdout: str
    stderr: str

    @property
    def said(self) -> list[str]:
        """The hook's own lines; torch and Kineto write to stderr as well."""
        return [line for line in self.stderr.splitlines() if line.startswith("tbprof ")]


class Nursery:
    """One process that forks the others, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self, arguments: list[object], folder: Path, environment: Mapping[str, str], limit_s: float = 100
    ) -> Ended:
        """Run a script in `folder`, which must be empty or hold an earlier run's output."""
        order = {
            "arguments": [str(argument) for argument in arguments],
            "folder": str(folder),
            "environment": dict(environment),
            "limit_s": limit_s,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        said, complained = ((folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return Ended(answer["exit_code"], said, complained)


@contextlib.contextmanager
def nursery(preload: Path | None = None) -> Iterator[Nursery]:
    """A nursery, whose processes all have the shared library `preload` loaded before any other."""
    loaded = {} if preload is None else {"LD_PRELOAD": str(preload)}
    process = subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **loaded},
    )
    with process:
        yield Nursery(process)


def processes_of(folder: Path) -> list[int]:
    """The processes that publish something of `folder` now."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            arguments = file.read_bytes().split(b"\0")
            if b"publish" in arguments and any(os.fsencode(folder) in argument for argument in arguments):
                found.append(int(file.parent.name))
    return found


def wait_for_children(folder: Path) -> None:
    """Wait until no process is left that publishes something of `folder`."""
    deadline = time.monotonic() + 60
    while processes_of(folder):
        assert time.monotonic() < deadline, f"something still publishes from {folder}"
        time.sleep(0.01)
