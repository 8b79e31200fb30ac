"""The executor for a command line; what each kind needs is imported for who asks for it."""

from __future__ import annotations

from tbprof.errors import UsageError
from tbprof.executors.analyzing import Executor, InProcess

_RAY = "ray"

_MOST_DIGITS = 9

_FEWEST_TO_SHARE = 4
"""Traces that are worth other processes: to start one takes as long as to read a small trace."""


def executor_of(words: str) -> Executor:
    """The executor that is meant.

    Raises:
        UsageError: None is, or its package is not installed.
    """
    if words.isdecimal() and words.isascii():
        # A number of any length is no more than there are files; Python reads none of 5,000 digits.
        return _processes(int(words.lstrip("0")[:_MOST_DIGITS] or "0"))
    kind, found, _ = words.partition("://")
    if kind == _RAY:
        from tbprof.executors.ray_executor import RayExecutor

        return RayExecutor(words if found else None)
    if found:
        from tbprof.executors.dask_executor import DaskExecutor

        return DaskExecutor(words)
    raise UsageError(f"{words} names no workers: give a number, tcp://HOST:PORT, ray or ray://HOST:PORT")


def executor_for(traces: int) -> Executor:
    """Where so many traces are read by default: in a process for each core, if they are worth that."""
    from tbprof.process.memory_limit import cores

    return _processes(1 if traces < _FEWEST_TO_SHARE else min(cores(), traces))


def _processes(count: int) -> Executor:
    if count == 1:
        # One process needs no other.

        return InProcess()
    from tbprof.executors.local_processes import LocalProcesses

    return LocalProcesses(count)
