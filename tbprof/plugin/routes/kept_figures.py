"""Figures of the windows of runs that were looked at, so that no report is read twice."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from tbprof.errors import Busy, Gone, TbprofError
from tbprof.model import Window
from tbprof.plugin.worker.reports import FilesState, Reports, files_of
from tbprof.plugin.worker.window_messages import Part

_PATIENCE_S = 1.0
"""Of an answer: reading the reports of a thousand ranks takes about that."""

_AT_ONCE = 64
"""Windows of one question: others may want to ask between two."""

_AHEAD = 4
"""Questions at once: while the figures of some are taken, others are being answered."""

_Figures = TypeVar("_Figures")


class Patience:
    """Within one answer: whether there is time for more reports."""

    def __init__(self) -> None:
        self._ends_at = time.monotonic() + _PATIENCE_S

    @property
    def has_ended(self) -> bool:
        return time.monotonic() > self._ends_at


class KeptFigures(Generic[_Figures]):
    """By run, window by window; the runs that were not looked at for longest are forgotten first.

    The run that is looked at is kept whole, however large it is: to forget a part of it would be to read all
    of it again for each answer.
    """

    def __init__(self, reports: Reports, ask: str, take: Callable[[str], _Figures], most: int) -> None:
        """Keep nothing yet.

        Args:
            reports: Reads them.
            ask: What it is asked of many windows.
            take: Makes figures of what it answers.
            most: Windows beyond which other runs are forgotten.
        """
        self._reports = reports
        self._ask = ask
        self._take = take
        self._most = most
        self._lock = Lock()
        self._runs: OrderedDict[str, dict[Window, tuple[FilesState, _Figures]]] = OrderedDict()

    def of(self, windows: Sequence[Window], patience: Patience) -> list[_Figures | TbprofError | None]:
        """Of each window; None while it is read, or waits for the next answer, or why it gives nothing."""
        found = [self._known(window) for window in windows]
        left = [at for at, one in enumerate(found) if one is None]
        batches = [left[begin : begin + _AT_ONCE] for begin in range(0, len(left), _AT_ONCE)]

        def read(batch: list[int]) -> Sequence[_Figures | TbprofError | None]:
            is_in_time = batch is batches[0] or not patience.has_ended
            return self._read([windows[at] for at in batch]) if is_in_time else [None] * len(batch)

        with ThreadPoolExecutor(_AHEAD) as threads:
            for batch, figures in zip(batches, threads.map(read, batches), strict=True):
                for at, one in zip(batch, figures, strict=True):
                    found[at] = one
        return found

    def _known(self, window: Window) -> _Figures | TbprofError | None:
        try:
            state = files_of(window)
        except Gone as error:
            return error
        with self._lock:
            known = self._runs.get(window.run, {}).get(window)
        return None if known is None or known[0] != state else known[1]

    def _read(self, windows: Sequence[Window]) -> list[_Figures | TbprofError | None]:
        try:
            states = [files_of(window) for window in windows]
            parts = self._reports.of_many(self._ask, windows)
        except (Busy, Gone):
            # The next answer asks again, and knows what is gone.
            return [None] * len(windows)
        read = [self._figures(part) for part in parts]
        with self._lock:
            for window, state, figures in zip(windows, states, read, strict=True):
                if figures is not None and not isinstance(figures, TbprofError):
                    self._runs.setdefault(window.run, {})[window] = state, figures
                    self._runs.move_to_end(window.run)
            self._forget_others()
        return read

    def _figures(self, part: Part) -> _Figures | TbprofError | None:
        if part.error:
            return TbprofError(part.error)
        return None if part.is_missing else self._take(part.record)

    def _forget_others(self) -> None:
        while len(self._runs) > 1 and sum(map(len, self._runs.values())) > self._most:
            self._runs.popitem(last=False)
