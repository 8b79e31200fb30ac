"""The code around recorded lines, as text, so that no viewer opens a path from a trace."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping
from types import CodeType

from tbprof.hook.audit.call_log import Place
from tbprof.model import SourceText

__all__ = ["source_texts"]

LONGEST_FUNCTION = 120
"""Lines up to which a function is embedded whole."""

AROUND = 15
"""Lines before and behind a recorded one, where its function is longer."""

MOST_CHARACTERS = 64 * 1024
"""In all, for a window."""


def source_texts(places: Mapping[tuple[str, int], Place]) -> tuple[SourceText, ...]:
    """The functions around the lines; a cell of a notebook counts as a file.

    Lines whose source is not there (made by `exec`, compiled) have none. What overlaps is
    embedded once.
    """
    kept: list[SourceText] = []
    room = MOST_CHARACTERS
    paths = {file: code.co_filename for (file, _), (code, _) in places.items()}
    for file, first, last in _merged(_ranges(places)):
        # `_ranges` has read them already, with the help of the module's loader.
        text = "".join(linecache.getlines(paths[file])[first - 1 : last])
        if text and len(text) <= room:
            room -= len(text)
            kept.append(SourceText(file, first, text))
    return tuple(kept)


def _ranges(places: Mapping[tuple[str, int], Place]) -> Iterator[tuple[str, int, int]]:
    """File, first and last line to embed for each place."""
    for (file, line), (code, module_globals) in places.items():
        # Decodes by the file's own coding line, and asks the loader of a zip archive.
        length = len(linecache.getlines(code.co_filename, dict(module_globals)))
        first, last = max(code.co_firstlineno, 1), _last_line(code)
        if last - first >= LONGEST_FUNCTION:
            first, last = max(first, line - AROUND), min(last, line + AROUND)
        if length:
            yield file, first, min(last, length)


def _last_line(code: CodeType) -> int:
    """Of a function, with all that is defined inside it."""
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
