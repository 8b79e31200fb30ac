"""An executor by the words of a command line; what each needs is imported for who asks for it."""

from __future__ import annotations

from tbprof.errors import UsageError
from tbprof.executors.executor import Executor

__all__ = ["executor_of"]

_RAY = "ray"


def executor_of(words: str) -> Executor:
    """The executor that is meant.

    Raises:
        UsageError: None is, or its package is not installed.
    """
    if words.isdecimal() and words.isascii():
        return _processes(int(words))
    kind, found, _ = words.partition("://")
    if kind == _RAY:
        from tbprof.executors.ray_executor import RayExecutor

        return RayExecutor(words if found else None)
    if found:
        from tbprof.executors.dask_executor import DaskExecutor

        return DaskExecutor(words)
    raise UsageError(f"{words} names no workers: give a number, tcp://HOST:PORT, ray or ray://HOST:PORT")


def _processes(count: int) -> Executor:
    if count == 1:
        # One process needs no other.
        from tbprof.executors.in_process import InProcess

        return InProcess()
    from tbprof.executors.local_processes import LocalProcesses

    return LocalProcesses(count)
