"""Modules and optimizers that are built while a step runs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any

import torch
from torch.optim import Optimizer

from tbprof.hook.audit.source_names import trace_file_name
from tbprof.hook.audit.user_frame import user_frame
from tbprof.model import Construction

MOST_LINES = 100

_WATCHED: tuple[Any, ...] = (torch.nn.Module, Optimizer)
"""Every module, every loss and every optimizer runs the `__init__` of one of them."""


class ConstructionWatch:
    """Counts by line; only from `start` to `stop` are the two `__init__` ours."""

    def __init__(self) -> None:
        self.is_on = True
        """Off, it counts nothing."""
        self._counts: Counter[tuple[str, int, str, str]] = Counter()
        self._replaced: list[tuple[Any, Callable[..., None], Callable[..., None]]] = []

    def start(self) -> None:
        """Count from now on."""
        for kind in _WATCHED:
            original = kind.__init__
            ours = self._counting(original)
            kind.__init__ = ours
            self._replaced.append((kind, original, ours))

    def stop(self) -> None:
        """Put back what was there; where another tool has put its own over ours, that stays."""
        self.is_on = False
        for kind, original, ours in self._replaced:
            if kind.__init__ is ours:
                kind.__init__ = original
        self._replaced.clear()

    @property
    def constructions(self) -> tuple[Construction, ...]:
        """What was built, in the order in which it first was."""
        lines = list(self._counts.items())[:MOST_LINES]
        return tuple(Construction(*line, count=count) for line, count in lines)

    def _counting(self, original: Callable[..., None]) -> Callable[..., None]:
        watch = self

        @wraps(original)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it stands for one
            if watch.is_on:
                watch._note(type(self).__name__, sys._getframe(1))
            original(self, *args, **kwargs)

        return __init__

    def _note(self, kind: str, innermost: FrameType) -> None:
        frame = user_frame(innermost)
        # A class of the user's: what counts is the line that asked for the object.
        while frame is not None and frame.f_code.co_name == "__init__":
            frame = user_frame(frame.f_back)
        if frame is not None:
            code = frame.f_code
            self._counts[trace_file_name(code.co_filename), frame.f_lineno, code.co_name, kind] += 1
