"""The lines that call what can sync or copy, seen as torch's functions are called."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tbprof.hook.call_log import CallLog
from tbprof.hook.places import Places, uses_a_device
from tbprof.hook.watched_calls import WATCHED, Call, CallFacts

__all__ = ["LineRecorder"]

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
        self.log = CallLog()
        self.backward_calls = 0
        self._running: dict[int, str] = {}
        self._is_second_look = False
        self._places = None if uses_a_device() else Places()

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
        elif name == "backward" and not self.log.contents.is_comparing:
            self.backward_calls += 1
        if self._places is not None:
            self._follow(self._places, name, Call(args, options, result))
        return result

    def looks_again(self) -> bool:
        """At the end of a step: whether the next one is recorded anew, and in place of it.

        Without a GPU the first step only learns where tensors are that it did not see being made.
        """
        if self._places is None or not self._places.is_unsure or self._is_second_look:
            return False
        self.log, self.backward_calls, self._is_second_look = CallLog(), 0, True
        return True

    def note_sync(self, call: str = _UNNAMED) -> None:
        """The device was waited for on this thread, in whatever function runs, else in `call`."""
        running = self._running.get(threading.get_ident(), call)
        # A watched call is noted when it returns.
        if self.is_on and running not in WATCHED:
            self._keep(running, CallFacts(("cuda",)), sys._getframe(1))

    def _follow(self, places: Places, name: str, call: Call) -> None:
        if self.fault is not None:
            return
        try:
            with torch._C.DisableTorchFunction():
                places.follow(name, call.arguments, call.options, call.result)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self.fault = fault

    def _note(self, name: str, call: Call) -> None:
        if self.fault is not None:
            return
        try:
            with torch._C.DisableTorchFunction():
                facts = WATCHED[name](call)
                if self._places is not None:
                    facts = self._places.added_to(facts, name, call)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self.fault = fault
            return
        if facts is not None:
            self._keep(name, facts, sys._getframe(2))

    def _keep(self, name: str, facts: CallFacts, innermost: Any) -> None:
        try:
            self.log.keep(name, facts, innermost)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self.fault = fault
