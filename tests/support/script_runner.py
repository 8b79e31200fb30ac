"""Runs training scripts in processes that need not import torch first."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).with_name("script_fork_server.py")


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


class ScriptRunner:
    """One process that forks the others; any thread may ask it for one."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders

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
        here, there = socket.socketpair()
        with here:
            with there:
                socket.send_fds(self._orders, [json.dumps(order).encode()], [there.fileno()])
            answer = json.loads(here.recv(1000))
        said, complained = ((folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return Ended(answer["exit_code"], said, complained)


@contextlib.contextmanager
def script_runner(preload: Path | None = None) -> Iterator[ScriptRunner]:
    """A script_runner, whose processes all have the shared library `preload` loaded before any other."""
    loaded = {} if preload is None else {"LD_PRELOAD": str(preload)}
    here, there = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with there:
        process = subprocess.Popen(
            [sys.executable, str(SERVER), str(there.fileno())],
            pass_fds=[there.fileno()],
            env={**os.environ, "PYTHONPATH": str(ROOT), **loaded},
        )
    with process, here:
        yield ScriptRunner(here)


def lanes() -> ThreadPoolExecutor:
    """Work that waits for processes, for as many of them at a time as there are processors."""
    return ThreadPoolExecutor(len(os.sched_getaffinity(0)))


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """What `work` makes of each item, in their order."""
    with lanes() as pool:
        return list(pool.map(work, items))


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
        # Each look reads the command of every process there is.
        time.sleep(0.05)
