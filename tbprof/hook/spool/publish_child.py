"""How a publishing child is started, so that nothing of the training reaches it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tbprof.process.isolated import start_python

__all__ = ["start_child"]


def start_child(
    trace: Path, logdir: str, arguments: Sequence[str], output: int, held: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start `tbprof publish` for a spooled trace, in a session of its own.

    Args:
        trace: the spooled trace; its folder is the child's working directory.
        logdir: the run's folder.
        arguments: further options of the command.
        output: file descriptor for all that the child writes.
        held: file descriptors that it keeps open, on systems that can hand them down.

    Raises:
        OSError: the system can't start a process now, or this program is no Python.
    """
    return start_python(
        "tbprof",
        ["publish", str(trace), "--logdir", logdir, *arguments],
        folder=trace.parent,
        # What it says is read back from its log.
        variables={"PYTHONIOENCODING": "utf-8:backslashreplace"},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        pass_fds=() if os.name == "nt" else tuple(held),
    )
