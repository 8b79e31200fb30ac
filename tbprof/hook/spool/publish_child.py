"""How a publishing process is started, so that nothing of the training reaches it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tbprof.hook.spool.spool import log_path
from tbprof.process.detached import Detached, start_detached


def start_child(trace: Path, logdir: str, arguments: Sequence[str], held: Sequence[int] = ()) -> Detached:
    """Start `tbprof publish` for a spooled trace; what it says is added to the trace's log.

    Args:
        trace: the spooled trace; its folder is where the process works.
        logdir: the run's folder.
        arguments: further options of the command.
        held: file descriptors that it keeps open, on systems that can hand them down.

    Raises:
        OSError: the system can't start a process now, or this program is no Python.
    """
    return start_detached(
        "tbprof",
        ["publish", str(trace), "--logdir", logdir, *arguments],
        folder=trace.parent,
        output=log_path(trace),
        # What it says is read back from its log.
        variables={"PYTHONIOENCODING": "utf-8:backslashreplace"},
        held=held,
    )
