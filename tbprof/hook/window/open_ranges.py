"""Ranges of the profiler that are open when their recording ends.

Torch ends a range by writing into the recording in which it began. Where that recording is over and another
one is on, this is memory that was freed, and the process ends later, for no visible reason. A range ends when
its `with` is left, when it is dropped, or when the future that it was given to is completed. One that has
been ended while nothing was recorded writes nowhere, neither then nor later.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import torch

from tbprof.hook.safety.modes import unseen_by_modes

_never_ended: list[object] = []
_begun: list[ref[Any]] = []
"""Ranges that began in a recording, by the handles that torch gave the program."""
_with_futures: list[Any] = []
"""Handles that were given to a future, which holds the range itself."""
_FEW = 256
_most = [_FEW]
"""How many handles are kept before those that are gone are dropped."""

_is_recording = torch.autograd._profiler_enabled


def never_end(one: object) -> None:
    """Keep a range, or a mark of a module, whose recording is over; None is nothing to keep."""
    if one is not None:
        _never_ended.append(one)


def note_ranges() -> None:
    """Know each range that begins in a recording from now on; harmless where that is done already."""
    for packet, ours in _NOTING:
        # What the program holds of torch's stays what it is, but for this.
        for one in (packet, *(getattr(packet, overload) for overload in packet.overloads())):
            if not isinstance(one._op, _Noting):
                one._op = ours(one._op)


def end_open_ranges() -> None:
    """End the ranges of recordings that are over, unless another one is on."""
    if _is_recording():
        return
    handles = [*_with_futures, *(handle for one in _begun if (handle := one()) is not None)]
    _with_futures.clear()
    _begun.clear()
    with unseen_by_modes():
        for handle in handles:
            torch.ops.profiler._record_function_exit(handle)


class _Noting:
    """Stands for a function of torch's that begins a range."""

    __slots__ = ("_torch_s",)

    def __init__(self, torch_s: Any) -> None:
        self._torch_s = torch_s

    def __call__(self, *given: Any, **named: Any) -> Any:
        handle = self._torch_s(*given, **named)
        if _is_recording():
            self._note(handle, given)
        return handle

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch_s, name)

    def __hash__(self) -> int:
        # Torch's tables of operators find one by this.
        return hash(self._torch_s)

    def _note(self, handle: Any, given: tuple[Any, ...]) -> None:  # noqa: ARG002 - as futures have it
        _begun.append(ref(handle))
        if len(_begun) > _most[0]:
            _begun[:] = [one for one in _begun if one() is not None]
            _most[0] = max(_FEW, 2 * len(_begun))


class _NotingFutures(_Noting):
    """Stands for the one that has a future end a range."""

    __slots__ = ()

    def _note(self, handle: Any, given: tuple[Any, ...]) -> None:  # noqa: ARG002 - as ranges have it
        _with_futures.append(given[0])


_NOTING = (
    (torch.ops.profiler._record_function_enter_new, _Noting),
    (torch.ops.profiler._record_function_enter, _Noting),
    (torch.ops.profiler._call_end_callbacks_on_jit_fut, _NotingFutures),
)
