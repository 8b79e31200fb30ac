"""Ranges of the profiler that are open when their recording ends.

Torch ends a range by writing into the recording in which it began. Where that recording is over and another
one is on, this is memory that was freed, and the process ends later, for no visible reason. A range ends when
its `with` is left, and also when it is dropped.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

import torch
from torch.autograd.profiler import record_function

from tbprof.hook.safety.modes import unseen_by_modes

_never_ended: list[object] = []
_without_any = [0]
"""References to the class of ranges when none of them was alive; 0 where that is not known."""


def never_end(one: object) -> None:
    """Keep a range, or a mark of a module, whose recording is over."""
    _never_ended.append(one)


def begin_open_ranges_again() -> None:
    """Let the ranges of the program that are open end outside of the recording in which they began.

    To be called where nothing is recorded, before something is again. To search for them is to go through all
    objects of the program, which takes some 100 ms per million. Each of them holds its class: where that has
    as many references as it had without any, none is searched for.
    """
    if sys.getrefcount(record_function) == _without_any[0]:
        return
    found = [one for one in gc.get_referrers(record_function) if issubclass(type(one), record_function)]
    for one in found:
        _begin_again(one)
    _without_any[0] = 0 if found else sys.getrefcount(record_function)


def _begin_again(one: record_function) -> None:
    # Read so that none of the program's code runs, which may have a class of its own.
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    if attributes.get("record") is not None:
        never_end(attributes["record"])
        with unseen_by_modes():
            attributes["record"] = torch.ops.profiler._record_function_enter_new(
                attributes["name"], attributes["args"]
            )
