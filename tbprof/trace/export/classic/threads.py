"""Threads as numbers: torch-tb-profiler keeps one tree for each, whatever process it is of."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.trace.columns.arrays import NONE, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

_ON_HOST = (Category.CPU_OP, Category.USER_ANNOTATION, Category.RUNTIME, Category.PYTHON)


class Threads:
    """The numbers of a trace's threads on the host."""

    def __init__(self, trace: Trace) -> None:
        self._lanes = trace.lanes
        on_host = is_among(trace.slices.category, _ON_HOST)
        self._numbers: dict[tuple[str, str], int] = {}
        taken: set[int] = set()
        for lane in distinct(trace.slices.lane[on_host]).tolist():
            place = trace.lanes[lane].process, trace.lanes[lane].thread
            number = _integer(place[1])
            if number is None or number in taken:
                number = max(taken, default=0) + 1
            taken.add(number)
            self._numbers[place] = number
        self._free = max(taken, default=0) + 1

    def number(self, event: Mapping[str, object]) -> object:
        """The number of an event's thread; what the event says itself where that is no thread."""
        said = event.get("tid", 0)
        return self._numbers.get((str(event.get("pid", "")), str(said)), said)

    def place(self, lane: int) -> dict[str, object]:
        """Process and thread of a lane; for `NONE` a thread that nothing else is on."""
        if lane == NONE:
            return {"pid": self._lanes[0].process, "tid": self._free}
        found = self._lanes[lane]
        process = _integer(found.process)
        shown = found.process if process is None else process
        return {"pid": shown, "tid": self._numbers[found.process, found.thread]}


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
