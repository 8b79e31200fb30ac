"""Streams of the device as clocks: what of each other stream's work one has waited for.

Nothing runs side by side here. A tensor that one stream made and another reads without having waited for it
is a race on a device all the same.
"""

from __future__ import annotations

import threading
from collections import Counter
from itertools import count
from typing import TypeAlias

Clock: TypeAlias = Counter[int]
"""How many pieces of work of each stream are known to be over, by its number."""

DEFAULT = 0

_numbers = count(DEFAULT + 1)
_clocks: dict[int, Clock] = {}
_of_host: Clock = Counter()
"""What the host has waited for: all that it launches later comes after it."""


class _Current(threading.local):
    number = DEFAULT


_CURRENT = _Current()


def new_stream() -> int:
    """The number of a stream that has waited for nothing."""
    return next(_numbers)


def current() -> int:
    return _CURRENT.number


def set_current(number: int) -> int:
    """Make it the stream of this thread; the one before it is returned."""
    before, _CURRENT.number = _CURRENT.number, number
    return before


def clock_of(number: int) -> Clock:
    """All that is over once the work given to a stream until now is over."""
    return _clocks.setdefault(number, Counter()) | _of_host


def launched() -> tuple[int, int]:
    """A piece of work goes to the stream of this thread: the stream, and its count."""
    number = _CURRENT.number
    clock = _clocks.setdefault(number, Counter())
    clock[number] += 1
    return number, clock[number]


def wait(number: int, clock: Clock) -> None:
    """What a stream gets from now on comes after what is in the clock."""
    _clocks[number] = _clocks.setdefault(number, Counter()) | clock


def host_waited(clock: Clock | None = None) -> None:
    """The host waited for what is in the clock; None for all that the stream of this thread has."""
    for each, number in (clock_of(_CURRENT.number) if clock is None else clock).items():
        _of_host[each] = max(_of_host[each], number)


def host_waited_for_all() -> None:
    for number in list(_clocks):
        host_waited(clock_of(number))


def is_over(work: tuple[int, int]) -> bool:
    """Whether work was waited for by the stream of this thread."""
    number, at = work
    return number == _CURRENT.number or at <= max(
        _of_host[number], _clocks.setdefault(_CURRENT.number, Counter())[number]
    )
