"""The calls of one step by their lines, and in their order."""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from types import CodeType, FrameType
from typing import NamedTuple

from tbprof.hook.audit.source_text import Place, trace_file_name
from tbprof.hook.audit.upload_contents import UploadContents
from tbprof.hook.audit.watched_calls import CallFacts
from tbprof.model import RecordedCall, Source
from tbprof.program.caller_frame import RELAY, STANDARD_LIBRARY, TORCH, is_notebook, library_of

MOST_CALLS = 5000
"""Calls of one step that are kept; a step of a large model makes hundreds."""


class _Key(NamedTuple):
    """What calls agree in that count as one."""

    file: str
    line: int
    function: str
    call: str
    devices: tuple[str, ...]
    pinned: bool | None
    non_blocking: bool | None
    places: tuple[str, ...]
    thread: int
    caller: Source | None
    via: str


class CallLog:
    """Holds lines and numbers and none of the program's frames, which would hold its tensors."""

    def __init__(self) -> None:
        self.dropped = 0
        self.steps = 1
        self.order: list[int] = []
        self.places: dict[tuple[str, int], Place] = {}
        """The code of each recorded file and line."""
        self.contents = UploadContents()
        self._index: dict[_Key, int] = {}
        self._counts: list[int] = []
        self._threads: dict[int, int] = {threading.get_ident(): 0}

    def keep(self, call: str, facts: CallFacts, innermost: FrameType) -> None:
        """A call has returned; `innermost` is the frame that made it, or one of torch's or ours inside."""
        frame = user_frame(innermost)
        if frame is None:
            return
        via = "" if frame is innermost else trace_file_name(innermost.f_code.co_filename)
        key = self._key(call, facts, frame, via)
        if facts.content is not None:
            self.contents.note(key, facts.content)
        if self.contents.is_comparing:
            return
        if len(self.order) >= MOST_CALLS:
            self.dropped += 1
            return
        index = self._index.setdefault(key, len(self._counts))
        if index == len(self._counts):
            self._counts.append(0)
            self.places.setdefault((key.file, key.line), (frame.f_code, frame.f_globals))
        self._counts[index] += 1
        self.order.append(index)

    def add(self, other: CallLog) -> None:
        """Take the calls of another step of the same training; the order stays that of the fuller step."""
        for key, count in zip(other._index, other._counts, strict=True):
            index = self._index.setdefault(key, len(self._counts))
            self._counts[index : index + 1] = [sum(self._counts[index : index + 1]) + count]
        keys = list(other._index)
        if len(other.order) > len(self.order):
            self.order = [self._index[keys[at]] for at in other.order]
        self.places = {**other.places, **self.places}
        self.dropped += other.dropped
        self.steps += other.steps

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """Calls that agree in everything but time are one, counted in the mean of its steps."""
        counts = (max(1, round(count / self.steps)) for count in self._counts)
        return tuple(self._recorded(key, count) for key, count in zip(self._index, counts, strict=True))

    def _recorded(self, key: _Key, count: int) -> RecordedCall:
        return RecordedCall(
            file=key.file,
            line=key.line,
            function=key.function,
            call=key.call,
            count=count,
            devices=key.devices,
            pinned=key.pinned,
            non_blocking=key.non_blocking,
            thread=key.thread,
            same_bytes=self.contents.are_same(key),
            caller=key.caller,
            via=key.via,
            places=key.places,
        )

    def _key(self, call: str, facts: CallFacts, frame: FrameType, via: str) -> _Key:
        code = frame.f_code
        return _Key(
            trace_file_name(code.co_filename),
            frame.f_lineno,
            code.co_name,
            call,
            facts.devices,
            facts.pinned,
            facts.non_blocking,
            facts.places,
            self._threads.setdefault(threading.get_ident(), len(self._threads)),
            _caller(frame),
            via,
        )


def _caller(frame: FrameType) -> Source | None:
    """None where the frame is the user's own, or nobody's of theirs called it."""
    own = own_frame(frame)
    if own is None or own is frame:
        return None
    code = own.f_code
    return Source(trace_file_name(code.co_filename), own.f_lineno, code.co_name, exact=True, candidates=())


HOOK = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - as Python spells it
_WARNINGS = (STANDARD_LIBRARY + "warnings.py", STANDARD_LIBRARY + "_py_warnings.py")
_COMPILED = os.sep + "torchinductor_"
"""Within the path of what torch.compile generates."""


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The first frame from `frame` outwards whose code is the user's; None where there is none.

    What belongs to torch, to the hook, to Python's warnings and to generated code is passed
    over, as it is among the trace's own frames: the user's line is the one that called it.
    """
    while frame is not None and not _is_users(frame.f_code):
        frame = frame.f_back
    return frame


def own_frame(frame: FrameType | None) -> FrameType | None:
    """The first frame from `frame` outwards whose code is not installed; None where there is none.

    That of a framework around a training is the user's by `user_frame`, and not by this one.
    """
    while frame is not None and not (_is_users(frame.f_code) and is_own_file(frame.f_code.co_filename)):
        frame = frame.f_back
    return frame


@lru_cache(maxsize=4096)
def is_own_file(file: str) -> bool:
    """Whether code of this file is the user's, and not installed."""
    return is_users_file(file) and library_of(file) is None and not file.startswith(STANDARD_LIBRARY)


@lru_cache(maxsize=4096)
def is_users_file(file: str) -> bool:
    """Whether code of this file is the user's, and not torch's, the hook's or generated."""
    if file.startswith("<"):
        return is_notebook(file)
    if _COMPILED in file:
        return False
    return not file.startswith((TORCH, HOOK, *_WARNINGS))


def _is_users(code: CodeType) -> bool:
    return code.co_name != RELAY and is_users_file(code.co_filename)
