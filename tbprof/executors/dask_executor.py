"""Workers of a Dask cluster, through the optional package distributed.

Its scheduler sends the task to a worker, and again to another where one died.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

from tbprof.errors import UsageError
from tbprof.executors.analyzing import Answer, Failure, Task


class DaskExecutor:
    """Each worker needs tbprof, and sees the files under the same paths."""

    def __init__(self, address: str) -> None:
        """Name a scheduler, as `tcp://HOST:8786`.

        Raises:
            UsageError: distributed is not installed.
        """
        try:
            self._distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise UsageError("distributed is not installed: pip install 'tbprof[dask]'") from error
        self._address = address

    def map(self, task: Task, paths: Iterable[str], /) -> Iterator[Answer]:
        """See `Executor`.

        Raises:
            UsageError: No scheduler answers there.
        """
        try:
            client = self._distributed.Client(self._address)
        except (OSError, ValueError) as error:
            raise UsageError(f"no Dask scheduler answers at {self._address} ({error}): start one") from error
        with client:
            asked = list(paths)
            # A file may have changed since its path was last asked for: not pure.
            futures = client.map(task, asked, pure=False)
            for number, path in enumerate(asked):
                yield _answer(futures[number], path)
                # The cluster may forget it.
                futures[number] = None


def _answer(future: Any, path: str) -> Answer:
    """What the engine could not do is the file's failure: a task itself raises nothing."""
    error = future.exception()
    return future.result() if error is None else Failure(f"{path}: {type(error).__name__}: {error}")
