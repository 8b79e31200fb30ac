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
_references = [0]
"""To the class of ranges, but for those of its instances."""


def never_end(one: object) -> None:
    """Keep a range, or a mark of a module, whose recording is over."""
    _never_ended.append(one)


def begin_open_ranges_again() -> None:
    """Let the ranges of the program that are open end outside of the recording in which they began.

    To be called where nothing is recorded, before something is again. To search for them is to go through all
    objects of the program, which takes some 100 ms per million; each of them holds its class, and where there
    are no more references to that than without any, none is searched for.
    """
    if sys.getrefcount(record_function) <= _references[0]:
        return
    found = [one for one in gc.get_referrers(record_function) if issubclass(type(one), record_function)]
    for one in found:
        _begin_again(one)
    _references[0] = sys.getrefcount(record_function) - len(found)


def _begin_again(one: record_function) -> None:
    # Read so that none of the program's code runs, which may have a class of its own.
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    if attributes.get("record") is not None:
        never_end(attributes["record"])
        with unseen_by_modes():
            attributes["record"] = torch.ops.profiler._record_function_enter_new(
                attributes["name"], attributes["args"]
            )
