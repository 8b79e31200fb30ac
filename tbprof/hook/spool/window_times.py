"""The time in the name of a window's file, by which viewers tell and order windows."""

from __future__ import annotations

from pathlib import Path

from tbprof.hook.spool.spool import TRACE_SUFFIX


class WindowTimes:
    """Gives each window of a process a later time than the one before.

    torch names files after the clock; where that stands still, or goes back as after a virtual
    machine was moved, a window would take the place of an earlier one.
    """

    def __init__(self) -> None:
        self._latest_ns = 0

    def named(self, written: Path) -> str:
        """The name for a file that torch called `<worker>.<ns>.pt.trace.json`."""
        worker, _, clock_ns = written.name.removesuffix(TRACE_SUFFIX).rpartition(".")
        self._latest_ns = max(int(clock_ns), self._latest_ns + 1)
        return f"{worker}.{self._latest_ns}{TRACE_SUFFIX}"
