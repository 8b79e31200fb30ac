"""When Python collected garbage while a window was recorded.

The interpreter calls what stands in `gc.callbacks` at both ends of each collection. What stands there for us
runs in C alone: were it Python, Ctrl-C in a long collection would be raised in it, and be lost.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from itertools import count
from threading import get_native_id
from time import get_clock_info, time_ns
from typing import Any

from tbprof.model import GarbageCollections

MOST_NOTED = 16_384
"""Both ends of each; of more, the last."""
MOST_KEPT = 2_048
SHORTEST_NS = 10_000
"""A shorter one is kept by no figure: a launch takes as long."""

_COARSEST_CLOCK_S = 1e-4
"""Python before 3.13 reads the time of Windows in ticks of 16 ms."""

_Note = tuple[int, int, int]


class _Noting(map):  # type: ignore[type-arg]
    """What Python calls with "start" or "stop" and a dictionary: the next callable of the map takes them."""

    __call__: Any = property(next)


def _noting(notes: deque[_Note], first: dict[str, object]) -> _Noting:
    """One that notes the time, and hands what it is called with to `first.setdefault`."""
    moments = zip(count(), iter(time_ns, None), iter(get_native_id, None), strict=False)
    return _Noting({None: first.setdefault}.__getitem__, map(notes.append, moments))


class CollectionWatch:
    """Notes the collections of all threads from `begin` to `end`, and leaves nothing behind."""

    def __init__(self) -> None:
        self._callbacks: list[Any] | None = None
        self._noting: _Noting | None = None
        self._notes: deque[_Note] = deque(maxlen=MOST_NOTED)
        self._first: dict[str, object] = {}
        self._was_watched = False

    def begin(self) -> None:
        """Note what comes from now on; a second call changes nothing.

        Raises:
            OSError: the system's clock is too coarse.
        """
        if self._noting is not None:
            return
        if get_clock_info("time").resolution > _COARSEST_CLOCK_S:
            raise OSError("the system's clock is too coarse")
        self._noting = _noting(self._notes, self._first)
        self._callbacks = gc.callbacks
        self._was_watched = True
        self._callbacks.append(self._noting)

    def end(self) -> None:
        """No further; the program's own callbacks stay as they are."""
        noting, callbacks = self._noting, self._callbacks
        self._noting = self._callbacks = None
        if noting is not None and callbacks is not None:
            # `remove` would compare with the program's own.
            for at, one in reversed(tuple(enumerate(callbacks))):
                if one is noting:
                    del callbacks[at]

    @property
    def found(self) -> GarbageCollections | None:
        """The longest, in the order of time; None where nobody watched."""
        if not self._was_watched:
            return None
        # The first may have been under way on another thread, and no two are at the same time.
        begins = 0 if next(iter(self._first), "start") == "start" else 1
        pairs = sorted(self._pairs(begins), key=lambda pair: pair[0] - pair[1])[:MOST_KEPT]
        pairs.sort()
        return GarbageCollections(
            start_ns=tuple(start for start, _, _ in pairs),
            duration_ns=tuple(end - start for start, end, _ in pairs),
            thread=tuple(thread for _, _, thread in pairs),
        )

    def _pairs(self, begins: int) -> Iterator[tuple[int, int, int]]:
        """Begin, end and thread of each; `begins` is the number of the first begin, 0 or 1."""
        began_ns = None
        for number, at_ns, thread in tuple(self._notes):
            if number % 2 == begins:
                began_ns = at_ns
            elif began_ns is not None:
                if at_ns - began_ns >= SHORTEST_NS:
                    yield began_ns, at_ns, thread
                began_ns = None
