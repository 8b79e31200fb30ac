"""The demo's training as a child process, and what it tells of itself on the way."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tbprof.errors import UsageError
from tbprof.escaping import plain

_NOISE = "USDT:"
"""Kineto prints a line of its own whenever it starts or ends."""


def demo_events(logdir: Path) -> Iterator[list[str]]:
    """The words of each line that `tbprof.demo` tells, as they come.

    Raises:
        UsageError: The training failed.
    """
    command = [sys.executable, "-m", "tbprof.demo", "--logdir", str(logdir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
        assert training.stdout is not None
        assert training.stderr is not None
        relay = threading.Thread(target=_relay, args=[training.stderr], daemon=True)
        relay.start()
        try:
            yield from (line.split() for line in training.stdout if not line.startswith(_NOISE))
        finally:
            with contextlib.suppress(OSError):
                training.terminate()
            relay.join()
    if training.returncode != 0:
        raise UsageError(
            f"the demo's training ended with code {training.returncode}: its own message is above"
        )


def _relay(stderr: IO[str]) -> None:
    for line in stderr:
        if not line.startswith(_NOISE):
            sys.stderr.write(plain(line.rstrip("\n")) + "\n")
