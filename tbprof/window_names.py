"""What the name of a trace or a report says: its worker, its time, the window it belongs to.

    <worker>.<time>.pt.trace.json[.gz]    torch's tensorboard_trace_handler
    <worker>.<time>.trace.json.gz         a raw trace that tbprof published
    <worker>.<time>.tbprof.pb             its report

The time is that of the epoch in ms (until 2023), us or ns; other trainers leave it out. Each format of traces
has endings of its own, which its importer names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from tbprof.file_names import REPORT_SUFFIX
from tbprof.records import dataclass
from tbprof.trace.importers.importer import Importer
from tbprof.trace.importers.importer_list import IMPORTERS

__all__ = ["WindowName", "parse_window_name", "split_window_names"]

_NS_DIGITS = 19
_REPORT_ENDS = len(REPORT_SUFFIX)
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
    return WindowName(*next(split_window_names((file_name,))))


def split_window_names(file_names: Iterable[str]) -> Iterator[tuple[str, str, int | None]]:
    """The same of many without records: stem, worker and time in ns of each."""
    for file_name in file_names:
        yield _split(file_name.removesuffix(REPORT_SUFFIX) or file_name)


def split_report_name(file_name: str) -> tuple[str, int | None]:
    """The worker and the time in ns of a report that is named as published ones are; None for others.

    There may be hundreds of thousands. Where the digits stand, no trace's ending does.
    """
    if not file_name.endswith(REPORT_SUFFIX):
        return "", None
    worker, _, digits = file_name[:-_REPORT_ENDS].rpartition(".")
    return worker, int(digits) if len(digits) == _NS_DIGITS and worker and digits.isdecimal() else None


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
    """Of traces, from the last of a name to the first: `.gz` stands behind the ending that it packs."""
    suffixes = sorted((suffix for importer in importers for suffix in importer.SUFFIXES), key=len)
    return (*suffixes, ".trace", ".pt")
