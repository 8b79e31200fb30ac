"""Figures of the windows of runs that somebody looks at, so that no report is read twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from tbprof.errors import Busy, Gone, TbprofError
from tbprof.model import Window
from tbprof.plugin.worker.kept import Kept, Key
from tbprof.plugin.worker.reports import Reports, key_of
from tbprof.plugin.worker.window_messages import Part

_ANSWER_S = 1.0
"""The time for an answer: reading the reports of a thousand ranks takes about that."""

_AT_ONCE = 64
"""Windows of one question: others may want to ask between two."""

_AHEAD = 4
"""Questions at once: while the figures of some are taken, others are being answered."""

_Figures = TypeVar("_Figures")


class Deadline:
    """Within one answer: whether there is time for more reports."""

    def __init__(self) -> None:
        self._ends_at = time.monotonic() + _ANSWER_S

    @property
    def has_ended(self) -> bool:
        return time.monotonic() > self._ends_at


class WindowFiguresCache(Generic[_Figures]):
    """Window by window, in the memory of all answers; those of a run stay there or go together."""

    def __init__(
        self, reports: Reports, kept: Kept, ask: str, kind: type[_Figures], take: Callable[[str], _Figures]
    ) -> None:
        """Read nothing yet.

        Args:
            reports: Reads them.
            kept: Keeps them.
            ask: What is asked of many windows.
            kind: The class of the figures.
            take: Makes them of what is answered.
        """
        self._reports = reports
        self._kept = kept
        self._ask = ask
        self._kind = kind
        self._take = take

    def of(self, windows: Sequence[Window], deadline: Deadline) -> list[_Figures | TbprofError | None]:
        """The figures of each window; None while it is read, or waits for the next answer, or why it gives
        nothing.
        """
        found = [self._known(window) for window in windows]
        left = [at for at, one in enumerate(found) if one is None]
        batches = [left[begin : begin + _AT_ONCE] for begin in range(0, len(left), _AT_ONCE)]

        def read(batch: list[int]) -> Sequence[_Figures | TbprofError | None]:
            is_in_time = batch is batches[0] or not deadline.has_ended
            return self._read([windows[at] for at in batch]) if is_in_time else [None] * len(batch)

        with ThreadPoolExecutor(_AHEAD) as threads:
            for batch, figures in zip(batches, threads.map(read, batches), strict=True):
                for at, one in zip(batch, figures, strict=True):
                    found[at] = one
        return found

    def _known(self, window: Window) -> _Figures | TbprofError | None:
        try:
            return self._kept.get(self._key(window), self._kind)
        except Gone as error:
            return error

    def _key(self, window: Window) -> Key:
        return key_of(self._ask, [window], {}, run=window.run)

    def _read(self, windows: Sequence[Window]) -> list[_Figures | TbprofError | None]:
        try:
            keys = [self._key(window) for window in windows]
            parts = self._reports.of_many(self._ask, windows)
        except (Busy, Gone):
            # The next answer asks again, and knows what is gone.
            return [None] * len(windows)
        return [self._figures(key, part) for key, part in zip(keys, parts, strict=True)]

    def _figures(self, key: Key, part: Part) -> _Figures | TbprofError | None:
        if part.error:
            return TbprofError(part.error)
        if part.is_missing:
            return None
        figures = self._take(part.record)
        self._kept.keep(key, figures, len(part.record))
        return figures
