"""Runs that are equal: one program with the same fault, again and again, is one row.

Runs of one family that use as many GPUs and have the same top line stand as the newest of them. What ran one
after the other ran on the same GPUs; only runs at the same time need more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import groupby

from tbprof.file_names import run_family
from tbprof.records import dataclass
from tbprof.views.fleet import FleetRow


@dataclass(frozen=True, slots=True)
class FleetEntry:
    row: FleetRow
    text: str
    """All that a search looks at, in small letters."""
    began_ns: int
    """When its first window was, as the next one its last."""
    ended_ns: int


def grouped(entries: Sequence[FleetEntry]) -> tuple[FleetEntry, ...]:
    """The entries, equal ones as one; what has an alarm or a problem is not merged."""
    alone = [entry for entry in entries if not _is_usual(entry.row)]
    usual = sorted((entry for entry in entries if _is_usual(entry.row)), key=_key)
    together = [_as_one(list(some)) for _, some in groupby(usual, key=_key)]
    return tuple(sorted((*alone, *together), key=lambda entry: entry.row.name))


def _is_usual(row: FleetRow) -> bool:
    return row.state == "ready" and not row.is_alarm and row.problem == ""


def _key(entry: FleetEntry) -> tuple[str, ...]:
    row = entry.row
    parts = (run_family(row.name), row.owner, row.gpus, row.top_rule, row.top_place, row.top_action)
    return tuple(map(str, parts))


def _as_one(entries: Sequence[FleetEntry]) -> FleetEntry:
    if len(entries) == 1:
        return entries[0]
    newest = max(entries, key=lambda entry: (entry.row.recorded_s, entry.row.name))
    times = most_at_once([(entry.began_ns, entry.ended_ns) for entry in entries])
    row, rows = newest.row, [entry.row for entry in entries]
    return FleetEntry(
        row=dataclasses.replace(
            row,
            runs=len(rows),
            windows=sum(one.windows for one in rows),
            gpus=None if row.gpus is None else row.gpus * times,
            gpu_s=_sum(one.gpu_s for one in rows),
            watched_s=_sum(one.watched_s for one in rows),
            idle_gpu_h=None if row.idle_gpu_h is None else row.idle_gpu_h * times,
            top_gpu_h=None if row.top_gpu_h is None else row.top_gpu_h * times,
        ),
        text="\n".join(dict.fromkeys(entry.text for entry in entries)),
        began_ns=min(entry.began_ns for entry in entries),
        ended_ns=max(entry.ended_ns for entry in entries),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def most_at_once(spans: Sequence[tuple[int, int]]) -> int:
    """How many of some spans lie over one another at most; those that only touch do not."""
    edges = sorted(edge for begin, end in spans if end > begin for edge in ((begin, 1), (end, -1)))
    now, most = 0, 1
    for _, change in edges:
        now += change
        most = max(most, now)
    return most
