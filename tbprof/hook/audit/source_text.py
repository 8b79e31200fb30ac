"""The code around recorded lines, as text, so that no viewer opens a path from a trace."""

from __future__ import annotations

import io
import linecache
import tokenize
import zipimport
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType, MappingProxyType
from typing import Any, TypeAlias

from tbprof.model import SourceText
from tbprof.program.caller_frame import (
    current_import_folders,
    name_below,
)
from tbprof.safe_open import content_within

LONGEST_FUNCTION = 120
"""Lines up to which a function is embedded whole."""

AROUND = 15
"""Lines before and after a recorded one, where its function is longer."""

MOST_CHARACTERS = 64 * 1024
"""In all, for a window."""

_MOST_BYTES = 4 * 1024 * 1024
"""The most bytes of a source file; a larger one has no lines here."""
_NO_GLOBALS: Mapping[str, Any] = MappingProxyType({})


def source_lines(file: str, module_globals: Mapping[str, Any] = _NO_GLOBALS) -> Sequence[str]:
    """The lines of a source file, by the name that Python knows it by; none of what is no regular file.

    Cells of notebooks are in Python's own cache of lines, and files of a zip archive with the archive's
    importer. A loader of the program's own is not asked.
    """
    known: Any = linecache.cache.get(file, ())
    if len(known) > 1:
        return linecache.getlines(file)
    loader = dict.get(module_globals, "__loader__") if isinstance(module_globals, dict) else None
    if type(loader) is zipimport.zipimporter:
        return linecache.getlines(file, {"__loader__": loader, "__name__": module_globals["__name__"]})
    return _lines_of_file(file)


@lru_cache(maxsize=64)
def _lines_of_file(file: str) -> Sequence[str]:
    try:
        content = content_within(file, _MOST_BYTES)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding).splitlines(keepends=True)
    except (OSError, SyntaxError, ValueError, LookupError):
        return ()


def source_texts(places: Mapping[tuple[str, int], Place]) -> tuple[SourceText, ...]:
    """The functions around the lines; a cell of a notebook counts as a file.

    Lines whose source is not there (made by `exec`, compiled) have none. What overlaps is
    embedded once.
    """
    kept: list[SourceText] = []
    room = MOST_CHARACTERS
    lines = {file: source_lines(code.co_filename, known) for (file, _), (code, known) in places.items()}
    for file, first, last in _merged(_ranges(places)):
        text = "".join(lines[file][first - 1 : last])
        if text and len(text) <= room:
            room -= len(text)
            kept.append(SourceText(file, first, text))
    return tuple(kept)


def _ranges(places: Mapping[tuple[str, int], Place]) -> Iterator[tuple[str, int, int]]:
    """File, first and last line to embed for each place."""
    for (file, line), (code, module_globals) in places.items():
        length = len(source_lines(code.co_filename, module_globals))
        first, last = max(code.co_firstlineno, 1), _last_line(code)
        if last - first >= LONGEST_FUNCTION:
            first, last = max(first, line - AROUND), min(last, line + AROUND)
        if length:
            yield file, first, min(last, length)


def _last_line(code: CodeType) -> int:
    """The last line of a function, with all that is defined inside it."""
    own = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    inner = [_last_line(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return max(own, *inner) if inner else own


def _merged(ranges: Iterator[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    merged: list[tuple[str, int, int]] = []
    for file, first, last in sorted(set(ranges)):
        if merged and merged[-1][0] == file and first <= merged[-1][2] + 1:
            merged[-1] = (file, merged[-1][1], max(last, merged[-1][2]))
        else:
            merged.append((file, first, last))
    return merged


@lru_cache(maxsize=4096)
def trace_file_name(file: str) -> str:
    """What the trace of this process calls a file, by the folders that torch knows."""
    return name_below(import_folders(), file)


@lru_cache(maxsize=1)
def import_folders() -> tuple[str, ...]:
    """The folders that Python imports from, as they are when this is first asked.

    torch takes them once in a process, when it first records Python's stacks; asked right before
    that, this agrees with it however the training changes `sys.path` later.
    """
    return current_import_folders()


Place: TypeAlias = tuple[CodeType, Mapping[str, Any]]
"""The code that a line belongs to, and the globals of its module."""
