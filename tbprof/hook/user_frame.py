"""The innermost frame of a Python stack that is the user's, and not torch's or ours."""

from __future__ import annotations

import os
import re
import warnings
from functools import lru_cache
from types import CodeType, FrameType

import torch

__all__ = ["user_frame"]

_TORCH = os.path.dirname(torch.__file__) + os.sep  # noqa: PTH120 - compared with names as Python spells them
_OWN = os.path.dirname(__file__) + os.sep  # noqa: PTH120
_STANDARD_LIBRARY = os.path.dirname(warnings.__file__) + os.sep  # noqa: PTH120
_WARNINGS = (_STANDARD_LIBRARY + "warnings.py", _STANDARD_LIBRARY + "_py_warnings.py")
_NOTEBOOK = re.compile(r"<(?:ipython-input|stdin)")


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The first frame from `frame` outwards whose code is the user's; None where there is none.

    What belongs to torch, to the hook, to Python's warnings and to generated code is passed
    over, as it is among the trace's own frames: the user's line is the one that called it.
    """
    while frame is not None and not _is_users(frame.f_code):
        frame = frame.f_back
    return frame


@lru_cache(maxsize=4096)
def _is_users(code: CodeType) -> bool:
    file = code.co_filename
    if file.startswith("<"):
        return _NOTEBOOK.match(file) is not None
    return not file.startswith((_TORCH, _OWN, *_WARNINGS))
