"""What the name of a file says: its worker, its time, the window it belongs to.

    <worker>.<time>.pt.trace.json[.gz]    torch's tensorboard_trace_handler
    <worker>.<time>.trace.json.gz         a raw trace that tbprof published
    <worker>.<time>.tbprof.pb             its report
    <worker>.<time>.facts.json            what the hook knows of it, until it is published
    <worker>.<time>.broken                a trace that can not be published

The time is that of the epoch in ms (until 2023), us or ns; other trainers leave it out.
"""

from __future__ import annotations

import re

from tbprof.records import dataclass

__all__ = [
    "BROKEN_SUFFIX",
    "CLASSIC_SUFFIX",
    "FACTS_SUFFIX",
    "RAW_SUFFIX",
    "REPORT_SUFFIX",
    "WindowName",
    "parse_window_name",
    "rank_of",
]

REPORT_SUFFIX = ".tbprof.pb"
RAW_SUFFIX = ".trace.json.gz"
FACTS_SUFFIX = ".facts.json"
BROKEN_SUFFIX = ".broken"
CLASSIC_SUFFIX = ".pt.trace.json.gz"
"""The only names that torch-tb-profiler looks for; those of raw traces that tbprof publishes differ."""

_TIME = re.compile(r"(?P<worker>.+)\.(?P<time>\d{13}|\d{16}|\d{19})")
_NS_DIGITS = 19
_RANK = re.compile(r"(?:^|[^a-z])rank[_-]?(\d+)", re.IGNORECASE)


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
    stem = file_name
    for ending in (REPORT_SUFFIX, ".gz", ".json", ".trace", ".pt"):
        if len(stem) > len(ending):
            stem = stem.removesuffix(ending)
    found = _TIME.fullmatch(stem)
    if found is None:
        return WindowName(stem, stem, None)
    digits = found["time"]
    return WindowName(stem, found["worker"], int(digits) * 10 ** (_NS_DIGITS - len(digits)))


def rank_of(worker: str) -> int | None:
    """The rank that a worker's name tells, as in `node1_77_rank3` or `rank0_trace`."""
    found = _RANK.search(worker)
    return None if found is None else int(found[1])
