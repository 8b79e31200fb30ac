"""Ranges of the profiler that are open when their recording ends.

Torch ends a range by writing into the recording in which it began. Where that recording is over and another
one is on, this is memory that was freed, and the process ends later, for no visible reason. A range ends when
its `with` is left, and also when it is dropped.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.profiler import record_function

from tbprof.hook.safety.modes import unseen_by_modes
from tbprof.hook.window.live_objects import LiveObjects

_never_ended: list[object] = []
_ranges = LiveObjects(record_function)
_outside: dict[int, object] = {}
"""What ranges began again with, by identity: it belongs to no recording."""
_windows: list[None] = []
"""Not empty from the first window on: before that, no recording of ours has ended."""


def never_end(one: object) -> None:
    """Keep a range, or a mark of a module, whose recording is over; None is nothing to keep."""
    if one is not None:
        _never_ended.append(one)


def begin_open_ranges_again() -> None:
    """Let the ranges of the program that are open end outside of the recording in which they began.

    To be called before each window. Those that are over already notice nothing, and cannot be told apart.
    """
    if _windows:
        for one in _ranges.find():
            _begin_again(one)
    else:
        _windows.append(None)


def _begin_again(one: record_function) -> None:
    # Read so that none of the program's code runs, which may have a class of its own.
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    begun = attributes.get("record")
    if begun is None or id(begun) in _outside:
        return
    never_end(begun)
    with unseen_by_modes():
        again = torch.ops.profiler._record_function_enter_new(attributes["name"], attributes["args"])
    _outside[id(again)] = attributes["record"] = again
