"""The seam between an analysis of many files and whatever runs it.

An engine has to do one thing, which `concurrent.futures.Executor` and all that are made like it do: apply a
module's function to many paths. Nothing but a path goes to a worker, and a report of some kB comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that gave no report."""

    sentence: str
    """What, why and what to do."""


Answer: TypeAlias = bytes | Failure
"""The report of a file, as it is stored, or why there is none."""

Task: TypeAlias = Callable[[str], Answer]
"""Can be pickled, is called in any process that has tbprof, and raises nothing."""


class Executor(Protocol):
    """Runs a task on many paths."""

    def map(self, task: Task, paths: Iterable[str], /) -> Iterable[Answer]:
        """The answers in the order of the paths, each as soon as it and those before it are there."""
