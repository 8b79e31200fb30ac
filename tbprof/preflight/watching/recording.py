"""What was seen so far: events of the program, counted by line, kind and step."""

from __future__ import annotations

import ctypes
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

import torch
from torch import Tensor

from tbprof.line_rules import LineKind
from tbprof.model import Source
from tbprof.optable import Known
from tbprof.preflight.user_frame import Origin, origin

_MOST_HASHED_BYTES = 1 << 24
"""Contents beyond 16 MB are not compared: no constant is that large, and a batch may be."""


@dataclass(frozen=True, slots=True)
class Event:
    """One copy, wait or fault, without its place; alike events of one line are counted together."""

    kind: LineKind
    call: str
    ops: tuple[str, ...]
    known: Known = "seen"
    direction: str = ""
    memory: str = ""
    blocking: bool = True
    non_blocking: bool | None = None


Key: TypeAlias = tuple[str, int | None, str, Event]
"""File, line, function and event."""


@dataclass(slots=True)
class Tally:
    """How often and when an event was seen at one line."""

    origin: Origin
    event: Event
    order: int
    bytes: int = 0
    least_bytes: int | None = None
    """The bytes of the smallest; None before the first."""
    most_bytes: int = 0
    per_step: Counter[int] = field(default_factory=Counter)
    contents: set[int] = field(default_factory=set)
    hashed: int = 0
    makers: set[str | None] = field(default_factory=set)
    """The factories of what was uploaded; None for what was made otherwise."""
    called_at: Counter[Source] = field(default_factory=Counter)
    """The user's lines that a library's line was called from."""
    derivative_of: Counter[Source] = field(default_factory=Counter)
    """The lines of the forward pass whose derivatives did it."""
    same_mask_as: Counter[Source] = field(default_factory=Counter)
    """The lines that had read the same mask before."""

    def add_sizes(self, total: int, least: int, most: int) -> None:
        """Count the bytes of one event, or of several that were counted before."""
        self.bytes += total
        self.least_bytes = least if self.least_bytes is None else min(self.least_bytes, least)
        self.most_bytes = max(self.most_bytes, most)

    @property
    def key(self) -> Key:
        """What events agree in that are counted together."""
        return key_of(self.origin, self.event)


def key_of(where: Origin, event: Event) -> Key:
    return where.file, where.source.line, where.source.function, event


class Recorder:
    """Counts the events of one preflight; `step` is the index of the step that runs, from 0."""

    def __init__(self) -> None:
        self.step = 0
        self.tallies: dict[Key, Tally] = {}
        self.notes: dict[str, None] = {}
        self.used_device = False
        """Whether the program put anything on a device."""
        self.used_loader = False
        """Whether it took batches from a DataLoader."""
        self._lock = threading.Lock()

    def remark(self, sentence: str) -> None:
        """Say once what is to be known of this run."""
        self.notes.setdefault(sentence.rstrip("."))

    def add(
        self,
        event: Event,
        where: Origin,
        nbytes: int,
        content: int | None = None,
        made_by: str | None = None,
        forward: Source | None = None,
        before: Source | None = None,
    ) -> None:
        key = key_of(where, event)
        with self._lock:
            tally = self.tallies.get(key)
            if tally is None:
                tally = self.tallies[key] = Tally(where, event, len(self.tallies))
            tally.per_step[self.step] += 1
            tally.add_sizes(nbytes, nbytes, nbytes)
            tally.makers.add(made_by)
            if where.library is not None and where.callers:
                tally.called_at[where.callers[-1]] += 1
            if forward is not None:
                tally.derivative_of[forward] += 1
            if before is not None:
                tally.same_mask_as[before] += 1
            if content is not None:
                tally.hashed += 1
                tally.contents.add(content)


RECORDERS: list[Recorder] = []
"""The recorders of the preflights that run now: one inside another hears the same events."""


def current_step() -> int:
    """The index of the step that runs, from 0."""
    return RECORDERS[-1].step if RECORDERS else 0


class _Muted(threading.local):
    depth = 0


_MUTED = _Muted()


@contextmanager
def muted() -> Iterator[None]:
    """Note nothing on this thread: what comes is part of something that was noted as a whole."""
    _MUTED.depth += 1
    try:
        yield
    finally:
        _MUTED.depth -= 1


def is_muted() -> bool:
    return _MUTED.depth > 0


def note(
    event: Event,
    *,
    nbytes: int = 0,
    content: int | None = None,
    made_by: str | None = None,
    forward: Source | None = None,
    before: Source | None = None,
) -> Origin | None:
    """Count an event at the program's line that runs now on this thread, which is what is returned."""
    if _MUTED.depth:
        return None
    where = origin(sys._getframe(1))
    if where is not None:
        note_at(where, event, nbytes, content, made_by, forward, before)
    return where


def note_at(
    where: Origin,
    event: Event,
    nbytes: int,
    content: int | None,
    made_by: str | None,
    forward: Source | None = None,
    before: Source | None = None,
) -> None:
    """Count an event at a line that is known."""
    for recorder in RECORDERS:
        recorder.add(event, where, nbytes, content, made_by, forward, before)


def remark(sentence: str) -> None:
    """Say once what was run differently than on a GPU."""
    for recorder in RECORDERS:
        recorder.remark(sentence)


def content_of(tensor: Tensor) -> int | None:
    """A checksum of the tensor's values; None where they are too many, or have no plain memory."""
    if tensor.layout is not torch.strided or tensor.is_nested or not 0 < tensor.nbytes <= _MOST_HASHED_BYTES:
        return None
    with muted():
        plain = tensor.detach().contiguous()
    memory = (ctypes.c_char * plain.nbytes).from_address(plain.data_ptr())
    return zlib.crc32(memory, plain.nbytes)


P = ParamSpec("P")
R = TypeVar("R")


def lost(where: str, error: Exception) -> None:
    """Say what could not be looked at, and by which fault."""
    first_line = next(iter(str(error).splitlines()), "").rstrip(". ")
    remark(
        f"{where} could not be looked at ({type(error).__name__}: {first_line}); "
        "the program went on, and lines of it may be missing here"
    )


def fault_guarded(bookkeeping: Callable[P, R]) -> Callable[P, R | None]:
    """The same function, which says what it lost where it would have raised.

    Only for what notes or marks: what runs the program's own call raises the program's errors.
    """
    name = bookkeeping.__name__.strip("_")

    @wraps(bookkeeping)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R | None:
        try:
            return bookkeeping(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the border to the program
            call = args[0] if args and isinstance(args[0], str) else name
            lost(call, error)
            return None

    return guarded
