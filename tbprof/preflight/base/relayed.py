"""Functions of torch that seem to be called by the program's line, also where a patch calls them."""

from __future__ import annotations

import sys
from functools import wraps
from types import BuiltinFunctionType, FrameType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from tbprof.program.caller_frame import called_from

_IN_C = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)
"""What warns in the name of the Python code that called it."""

_OWN = __name__.partition(".")[0] + "."


def as_called_by_program(original: Any) -> Any:
    """A function written in C whose warnings are filed under the program's line; others as they are."""
    if not isinstance(original, _IN_C):
        return original

    @wraps(original)
    def call(*args: Any, **options: Any) -> Any:
        return called_from(_first_other(sys._getframe(1)))(original, args, options)

    return call


def _first_other(frame: FrameType) -> FrameType:
    """The first frame from `frame` outwards that is not ours."""
    outer: FrameType | None = frame
    while outer is not None and str(outer.f_globals.get("__name__")).startswith(_OWN):
        outer = outer.f_back
    return outer or frame
