"""Workers of Ray, through the optional package of that name.

It starts the task again where a worker died.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

from tbprof.errors import UsageError
from tbprof.executors.analyzing import Answer, Failure, Task


class RayExecutor:
    """Each worker needs tbprof, and sees the files under the same paths."""

    def __init__(self, address: str | None = None) -> None:
        """Name a cluster, as `ray://HOST:10001`; by default one of this machine, which is started if need be.

        Raises:
            UsageError: ray is not installed.
        """
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise UsageError("ray is not installed: pip install 'tbprof[ray]'") from error
        self._address = address

    def map(self, task: Task, paths: Iterable[str], /) -> Iterator[Answer]:
        """See `Executor`.

        Raises:
            UsageError: No cluster answers there.
        """
        ray = self._ray
        began = not ray.is_initialized()
        if began:
            try:
                ray.init(self._address, log_to_driver=False, logging_level="error")
            except (ConnectionError, OSError, RuntimeError, ValueError) as error:
                raise UsageError(f"no Ray answers at {self._address or 'this machine'} ({error})") from error
        try:
            asked = list(paths)
            remote = ray.remote(_done)
            answers = [remote.remote(task, path) for path in asked]
            for number, path in enumerate(asked):
                yield self._answer(answers[number], path)
                # The cluster may forget it.
                answers[number] = None
        finally:
            if began:
                ray.shutdown()

    def _answer(self, reference: Any, path: str) -> Answer:
        """What the engine could not do is the file's failure: a task itself raises nothing."""
        try:
            answer: Answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return Failure(f"{path}: {type(error).__name__}: {error}")
        return answer


def _done(task: Task, path: str) -> Answer:
    """Ray runs functions only, and a task may be another thing that can be called."""
    return task(path)
