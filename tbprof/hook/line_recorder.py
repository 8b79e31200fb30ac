"""The lines that call what can sync or copy, seen as torch's functions are called."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any, TypeAlias

import torch
from torch.overrides import TorchFunctionMode

from tbprof.hook.file_names import trace_file_name
from tbprof.hook.user_frame import user_frame
from tbprof.hook.watched_calls import WATCHED, Call, CallFacts
from tbprof.model import RecordedCall

__all__ = ["MOST_CALLS", "LineRecorder", "Place"]

Place: TypeAlias = tuple[CodeType, Mapping[str, Any]]
"""The code that a line belongs to, and the globals of its module."""

_Key: TypeAlias = tuple[str, int, str, str, CallFacts, int, str]

MOST_CALLS = 5000
"""Calls of one step that are kept; a step of a large model makes hundreds."""

_UNNAMED = "synchronise"


class LineRecorder(TorchFunctionMode):  # type: ignore[misc]
    """Notes each watched call of the threads that it is active in; the calls themselves go on unchanged.

    Some 2 us for each of torch's functions, 10 us for a watched one. Torch puts a mode aside
    while one of its functions runs: what hooks and functions of the user's do inside a
    backward pass is not seen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_on = True
        """Off, it lets everything pass."""
        self.fault: Exception | None = None
        """What went wrong in noting a call; nothing is noted after it."""
        self.dropped = 0
        self.order: list[int] = []
        self.places: dict[tuple[str, int], Place] = {}
        """The code of each recorded file and line."""
        self._counts: dict[_Key, int] = {}
        self._index: dict[_Key, int] = {}
        self._threads: dict[int, int] = {threading.get_ident(): 0}
        self._running: dict[int, str] = {}

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """Calls that agree in everything but time are one."""
        return tuple(
            RecordedCall(
                file=file,
                line=line,
                function=function,
                call=call,
                count=count,
                devices=facts.devices,
                pinned=facts.pinned,
                non_blocking=facts.non_blocking,
                thread=thread,
                via=via,
            )
            for (file, line, function, call, facts, thread, via), count in self._counts.items()
        )

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = kwargs or {}
        if not self.is_on:
            return func(*args, **options)
        name, thread = getattr(func, "__name__", ""), threading.get_ident()
        self._running[thread] = name
        try:
            result = func(*args, **options)
        finally:
            self._running.pop(thread, None)
        if name in WATCHED:
            self._note(name, Call(args, options, result))
        return result

    def note_sync(self) -> None:
        """The device was waited for on this thread, in whatever function runs."""
        running = self._running.get(threading.get_ident(), _UNNAMED)
        # A watched call is noted when it returns.
        if self.is_on and running not in WATCHED:
            self._keep(running, CallFacts(("cuda",)), sys._getframe(1))

    def _note(self, name: str, call: Call) -> None:
        if self.fault is not None:
            return
        try:
            with torch._C.DisableTorchFunction():
                facts = WATCHED[name](call)
            if facts is not None:
                self._keep(name, facts, sys._getframe(2))
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self.fault = fault

    def _keep(self, name: str, facts: CallFacts, innermost: FrameType) -> None:
        frame = user_frame(innermost)
        if frame is None:
            return
        if len(self.order) >= MOST_CALLS:
            self.dropped += 1
            return
        thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
        code = frame.f_code
        via = "" if frame is innermost else trace_file_name(innermost.f_code.co_filename)
        key = (trace_file_name(code.co_filename), frame.f_lineno, code.co_name, name, facts, thread, via)
        self._counts[key] = self._counts.get(key, 0) + 1
        self.order.append(self._index.setdefault(key, len(self._index)))
        # Not the frame: it would hold the tensors of its variables.
        self.places.setdefault(key[:2], (code, frame.f_globals))
