"""The innermost frame of a Python stack that is the user's, and not torch's or ours."""

from __future__ import annotations

import os
from functools import lru_cache
from types import CodeType, FrameType

from tbprof.program.caller_frame import RELAY
from tbprof.program.source_files import STANDARD_LIBRARY, TORCH, is_notebook, library_of

_HOOK = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - as Python spells it
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
    return not file.startswith((TORCH, _HOOK, *_WARNINGS))


def _is_users(code: CodeType) -> bool:
    return code.co_name != RELAY and is_users_file(code.co_filename)
