"""An executor by the words of a command line."""

from __future__ import annotations

from tbprof.errors import UsageError
from tbprof.executors.executor import Executor
from tbprof.executors.in_process import InProcess
from tbprof.executors.local_processes import LocalProcesses

__all__ = ["WORKERS_HELP", "executor_of"]

WORKERS_HELP = "who reads traces: N processes of this machine; tcp://HOST:PORT, a Dask scheduler; or ray, ray://HOST:PORT"

_RAY = "ray"


def executor_of(words: str) -> Executor:
    """The executor that is meant.

    Raises:
        UsageError: None is, or its package is not installed.
    """
    if words.isdecimal() and words.isascii():
        # One process needs no other.
        return InProcess() if int(words) == 1 else LocalProcesses(int(words))
    kind, found, _ = words.partition("://")
    if kind == _RAY:
        # What holds the engines is imported for those who have them.
        from tbprof.executors.ray_executor import RayExecutor

        return RayExecutor(words if found else None)
    if found:
        from tbprof.executors.dask_executor import DaskExecutor

        return DaskExecutor(words)
    raise UsageError(f"{words} names no workers: give a number, tcp://HOST:PORT, ray or ray://HOST:PORT")
