"""The runs that are asked for, and their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import get_args

from tbprof.errors import UsageError
from tbprof.records import dataclass
from tbprof.texts.fleet import NONE_FOUND, fleet_sentences
from tbprof.views.fleet import FleetRow, FleetSort, FleetView
from tbprof.views.fleet_groups import FleetEntry

RUNS_OF_A_PAGE = 200
"""Some 150 kB."""

SORTS: tuple[str, ...] = get_args(FleetSort)

_ASCENDING = ("run", "owner", "commit", "goodput", "busy")
"""Names begin with A, and what trains or computes least comes first; of all else the most does."""


@dataclass(frozen=True, slots=True)
class FleetQuestion:
    search: str = ""
    """Words that all have to be in a row: names, rules, lines, kernels."""
    sort: str = "wasted"
    is_reversed: bool = False
    """Whether the other end comes first."""


def sort_of(text: str) -> str:
    """What rows can be sorted by.

    Raises:
        UsageError: They can't be by this.
    """
    if text not in SORTS:
        raise UsageError(f"runs can't be sorted by {text[:40]!r}: name one of {', '.join(SORTS)}")
    return text


def fleet_rows(entries: Sequence[FleetEntry], question: FleetQuestion) -> tuple[FleetRow, ...]:
    """The rows that are asked for, in order; what is not known comes last."""
    words = question.search.lower().split()
    found = [entry.row for entry in entries if all(word in entry.text for word in words)]
    keyed = [(_key(row, question.sort), row) for row in found]
    known = [(key, row) for key, row in keyed if key is not None]
    descending = (question.sort not in _ASCENDING) != question.is_reversed
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return (*(row for _, row in known), *(row for key, row in keyed if key is None))


def fleet_view(
    entries: Sequence[FleetEntry],
    question: FleetQuestion,
    *,
    first: int = 0,
    most: int | None = None,
    reading: int = 0,
    windows: int = 0,
    is_stopped: bool = False,
) -> FleetView:
    """The runs that are asked for, and a sentence over all of them.

    Args:
        entries: All runs.
        question: Which of them, in which order.
        first: Place of the first one in that order, from 0 on.
        most: How many; by default all.
        reading: How many windows are still to be read.
        windows: Of how many.
        is_stopped: Whether nobody reads their traces.
    """
    rows = fleet_rows(entries, question)
    verdict, detail = _sentences(rows) if rows or not entries else (NONE_FOUND, "")
    return FleetView(
        verdict=verdict,
        detail=detail,
        rows=rows[first : None if most is None else first + most],
        first=first,
        found=len(rows),
        total=sum(entry.row.runs for entry in entries),
        reading=reading,
        windows=windows,
        is_stopped=is_stopped,
    )


def _key(row: FleetRow, sort: str) -> tuple[float | str, ...] | None:
    """Equal ones stand by name."""
    if sort == "alarm":
        return float(row.is_alarm), row.idle_gpu_h or 0.0
    if sort == "recorded":
        return (row.recorded_s,)
    if sort == "wasted":
        return None if row.idle_gpu_h is None else (row.idle_gpu_h, row.top_gpu_h or 0.0)
    value = getattr(row, {"watched": "gpu_s", "run": "name"}.get(sort, sort))
    return None if value is None else (value,)


def _sentences(rows: Sequence[FleetRow]) -> tuple[str, str]:
    ready = [row for row in rows if row.state == "ready"]
    cost: defaultdict[str, float] = defaultdict(float)
    for row in ready:
        if row.top_gpu_h:
            cost[_named(row)] += row.top_gpu_h
    judged = [row for row in ready if row.idle_gpu_h is not None]
    return fleet_sentences(
        sum(row.runs for row in ready),
        sum(row.idle_gpu_h or 0.0 for row in judged),
        sum(row.gpus or 0 for row in judged),
        _half(cost),
        sum(row.is_alarm for row in ready),
        watched_gpu_s=sum(row.gpu_s or 0.0 for row in ready),
        to_record=sum(row.runs for row in ready if row.top_action and not row.top_rule),
    )


def _named(row: FleetRow) -> str:
    """Its line; of what no line is to blame for, what there is to do."""
    action = row.top_action.replace("`", "")
    if row.is_of_job:
        return f"{row.top_rule} {row.top_place} of {row.name}"
    return f"{row.top_rule} {row.top_place}" if row.top_place else f"{row.top_rule} ({action})"


def _half(lost: Mapping[str, float]) -> list[str]:
    """The fewest lines that make half of what is lost."""
    half_s, found, so_far_s = sum(lost.values()) / 2, list[str](), 0.0
    for line, lost_s in sorted(lost.items(), key=lambda item: -item[1]):
        if so_far_s >= half_s:
            break
        found.append(line)
        so_far_s += lost_s
    return found
