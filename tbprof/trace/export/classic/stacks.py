"""Call stacks as 2021 wrote them into operators, from the Python frames around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tbprof.trace.columns.arrays import NONE, Int32s, Int64s

_SOURCE_FRAME = re.compile(r"(?!<built-in ).+\(\d+\): .")
_KEPT_FRAMES = 64
"""The innermost ones: each operator repeats its stack."""
_KEPT_STACKS = 4096
"""Neighbors in a file share their frames, so few stacks have to be remembered."""


def is_source_frame(name: str) -> bool:
    """Whether a frame names a line of Python, as in `train.py(12): step`."""
    return _SOURCE_FRAME.match(name) is not None


class CallStacks:
    """Gives the call stack of a frame: `file(line): function`, innermost first, joined by `;`."""

    def __init__(self, frame: Int64s, name: Int32s, names: Sequence[str]) -> None:
        """`frame` is that of the nesting, `name` the column of names, `names` their table."""
        self._frame = frame
        self._name = name
        self._names = names
        self.of = lru_cache(_KEPT_STACKS)(self._of)

    def _of(self, frame: int) -> str:
        found: list[str] = []
        while frame != NONE and len(found) < _KEPT_FRAMES:
            name = self._names[self._name[frame]]
            if is_source_frame(name):
                found.append(name)
            frame = int(self._frame[frame])
        return ";".join(found)
