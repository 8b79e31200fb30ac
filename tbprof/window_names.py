"""What the name of a trace or a report says: its worker, its time, the window it belongs to.

    <worker>.<time>.pt.trace.json[.gz]    torch's tensorboard_trace_handler
    <worker>.<time>.trace.json.gz         a raw trace that tbprof published
    <worker>.<time>.tbprof.pb             its report

The time is that of the epoch in ms (until 2023), us or ns; other trainers leave it out. Each format of traces
has endings of its own, which its importer names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

from tbprof.file_names import REPORT_SUFFIX
from tbprof.records import dataclass
from tbprof.trace.importers.importer import Importer
from tbprof.trace.importers.importer_list import IMPORTERS

_NS_DIGITS = 19
_TIME_ENDS = -len(REPORT_SUFFIX)
_TIME_BEGINS = _TIME_ENDS - _NS_DIGITS
_WORKER_ENDS = _TIME_BEGINS - 1
"""Counted from the end of a report's name, as the two before."""
_AFTER_DOT = "/"
"""What sorts before it is hidden or empty, or begins with another sign: all else is a plain name."""
_DIGITS = (13, 16, _NS_DIGITS)


@dataclass(frozen=True, slots=True)
class WindowName:
    stem: str
    """The name without its endings: the same for a window's trace and its report."""
    worker: str
    time_ns: int | None


def parse_window_name(file_name: str) -> WindowName:
    """Take a trace's or a report's file name apart; never fails.

    >>> parse_window_name("node1_77.1752215573993169006.pt.trace.json").worker
    'node1_77'
    """
    return WindowName(*split_window_name(file_name))


def split_window_name(file_name: str) -> tuple[str, str, int | None]:
    """The same without a record: stem, worker and time in ns."""
    return _split(file_name.removesuffix(REPORT_SUFFIX) or file_name)


def dated_reports(
    entries: Iterable[os.DirEntry[str]],
) -> tuple[list[tuple[str, int, str, str]], list[os.DirEntry[str]]]:
    """The published reports among what a folder holds, whose names tell their time in ns, and all else.

    Of each of the first its worker, time, name and path, in this order. There may be hundreds of thousands:
    nothing is asked about them but whether they are files, and nothing of ours is called for each. What is
    hidden, a link or not in ASCII is among the others.
    """
    dated: list[tuple[str, int, str, str]] = []
    others: list[os.DirEntry[str]] = []
    for entry in entries:
        name = entry.name
        worker, digits = name[:_WORKER_ENDS], name[_TIME_BEGINS:_TIME_ENDS]
        is_dated = worker > _AFTER_DOT and digits.isdecimal() and name[_WORKER_ENDS] == "."
        try:
            if (
                is_dated
                and name.endswith(REPORT_SUFFIX)
                and name.isascii()
                and entry.is_file(follow_symlinks=False)
            ):
                dated.append((worker, int(digits), name, entry.path))
                continue
        except OSError:
            # Some network file systems tell what an entry is when they are asked, or fail to.
            pass
        others.append(entry)
    dated.sort()
    return dated, others


def _split(stem: str) -> tuple[str, str, int | None]:
    """The same of a name without a report's ending."""
    for ending in _endings(IMPORTERS):
        if len(stem) > len(ending):
            stem = stem.removesuffix(ending)
    worker, _, digits = stem.rpartition(".")
    if not worker or len(digits) not in _DIGITS or not digits.isdecimal():
        return stem, stem, None
    return stem, worker, int(digits) * 10 ** (_NS_DIGITS - len(digits))


@cache
def _endings(importers: tuple[Importer, ...]) -> tuple[str, ...]:
    """The endings of traces, from the last of a name to the first: `.gz` stands after the ending that it
    packs.
    """
    suffixes = sorted((suffix for importer in importers for suffix in importer.SUFFIXES), key=len)
    return (*suffixes, ".trace", ".pt")
