"""The line of the program that an op came from: the innermost frame that is not torch's."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType

from tbprof.model import Source
from tbprof.program.caller_frame import (
    RELAY,
    STANDARD_LIBRARY,
    TORCH,
    current_import_folders,
    is_notebook,
    library_of,
    name_below,
)

_PREFLIGHT = os.path.dirname(__file__) + os.sep  # noqa: PTH120 - as Python spells it
_COMMAND = "<string>"
"""The program of `python -c`. Otherwise code that a library generates: no line that anyone could read."""
_PASSED_THROUGH = re.compile(
    r"(?:_ops|_compile|_tensor|_jit_internal|overrides|_dynamo[/\\]\w+|utils[/\\]_\w+)\.py$"
)
"""Files of torch that every call goes through, so that naming them says nothing."""

_MOST_CALLERS = 40
_OWN_CALLERS = 3


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an op came from in Python."""

    file: str
    """The file as Python spells it, for reading its lines."""
    source: Source
    library: str | None
    callers: tuple[Source, ...]
    via: Source | None


def origin(frame: FrameType | None) -> Origin | None:
    """The origin of what runs in `frame`; None where no frame is the program's."""
    via = None
    while frame is not None and not _is_line(frame):
        if via is None and _is_named(frame.f_code.co_filename):
            via = _source(frame)
        frame = frame.f_back
    if frame is None:
        return None
    file = frame.f_code.co_filename
    return Origin(file, _source(frame), library_of(file), _callers(frame), via)


def _callers(innermost: FrameType) -> tuple[Source, ...]:
    """The frames around: of a library's line those up to the first of the user's own."""
    wanted = _MOST_CALLERS if library_of(innermost.f_code.co_filename) else _OWN_CALLERS
    found: list[Source] = []
    frame = innermost.f_back
    while frame is not None and len(found) < wanted:
        if _is_line(frame):
            file = frame.f_code.co_filename
            found.append(_source(frame))
            if wanted == _MOST_CALLERS and library_of(file) is None:
                break
        frame = frame.f_back
    return tuple(found)


def _is_line(frame: FrameType) -> bool:
    return is_programs(frame.f_code.co_filename) and frame.f_code.co_name != RELAY


def _source(frame: FrameType) -> Source:
    code = frame.f_code
    return Source(_trace_file_name(code.co_filename), frame.f_lineno, code.co_name, exact=True, candidates=())


@lru_cache(maxsize=4096)
def is_programs(file: str) -> bool:
    """Whether a file is the user's or an installed library's, and no part of what runs it."""
    if file.startswith("<"):
        return is_notebook(file) or (file == _COMMAND and sys.argv[:1] == ["-c"])
    # Packages may lie beneath the standard library.
    if library_of(file) is not None:
        return not file.startswith((TORCH, _PREFLIGHT))
    return not file.startswith((TORCH, _PREFLIGHT, STANDARD_LIBRARY))


@lru_cache(maxsize=4096)
def _is_named(file: str) -> bool:
    return file.startswith(TORCH) and _PASSED_THROUGH.search(file) is None


@lru_cache(maxsize=4096)
def _trace_file_name(file: str) -> str:
    """The name that traces have for the file, so that fingerprints agree.

    By the folders of the moment: the program, or a test of it, sets its own after the first op was watched.
    """
    return name_below(current_import_folders(), file)
