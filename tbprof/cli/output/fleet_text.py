"""All runs of a log directory as text, JSON and Markdown."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime, timezone

from tbprof.harmless import code, escaped, json_text, plain
from tbprof.texts.figures.quantities import duration, share
from tbprof.texts.fleet.sentences import NOT_READ, gpu_time, hours
from tbprof.views.fleet.fleet import FleetRow, FleetView

__all__ = ["fleet_json", "fleet_markdown", "fleet_text"]

SCHEMA = 1

_HEADS = (
    *("run", "owner", "commit", "recorded", "GPUs", "watched", "step", "change", "busy", "comm.", "idle"),
    *("lost", "to", "alarm"),
)
_RIGHT = range(4, 12)
"""Columns of figures."""

_UNKNOWN = "-"
_COMMIT_DIGITS = 10


def fleet_text(view: FleetView) -> str:
    """Two sentences and a table; what is not recorded is a dash."""
    lines = [_HEADS, *(_cells(row) for row in view.rows)]
    cells = [[plain(cell) for cell in line] for line in lines]
    widths = [max(len(line[at]) for line in cells) for at in range(len(_HEADS))]
    table = [_line(line, widths) for line in cells]
    return "\n".join([plain(view.verdict), plain(view.detail), "", *table]) + "\n"


def fleet_json(view: FleetView) -> str:
    """One object, all figures as they are; null is not recorded."""
    return json_text(
        {
            "schema": SCHEMA,
            "verdict": view.verdict,
            "detail": view.detail,
            "runs": [dataclasses.asdict(row) for row in view.rows],
        }
    )


def fleet_markdown(view: FleetView) -> str:
    """The same table, for a page or a ticket."""
    lines = [
        f"**{escaped(view.verdict)}**",
        "",
        escaped(view.detail),
        "",
        "| " + " | ".join(_HEADS) + " |",
        "|" + "|".join("---:" if at in _RIGHT else "---" for at in range(len(_HEADS))) + "|",
        *("| " + " | ".join(_marked(_cells(row))) + " |" for row in view.rows),
    ]
    return "".join(f"{plain(line)}\n" for line in lines)


def _marked(cells: Sequence[str]) -> list[str]:
    run, *rest = cells
    return [code(run), *map(escaped, rest)]


def _cells(row: FleetRow) -> tuple[str, ...]:
    about = (
        row.run,
        row.owner or _UNKNOWN,
        (row.commit or _UNKNOWN)[:_COMMIT_DIGITS],
        f"{datetime.fromtimestamp(row.recorded_s, timezone.utc):%Y-%m-%d %H:%M}",
    )
    if row.state != "ready":
        return (*about, *[_UNKNOWN] * len(_RIGHT), row.problem or NOT_READ, "")
    figures = (
        _UNKNOWN if row.gpus is None else str(row.gpus),
        _UNKNOWN if row.watched_s is None else hours(row.watched_s),
        _UNKNOWN if row.step_us is None else duration(row.step_us),
        _UNKNOWN if row.change is None else f"{'+' if row.change > 0 else ''}{share(row.change)}",
        *(_UNKNOWN if part is None else share(part) for part in (row.busy, row.communication, row.idle)),
        _lost(row),
    )
    return (*about, *figures, f"{row.top_rule} {row.top_place}".strip(), row.alarm)


def _lost(row: FleetRow) -> str:
    if row.lost_gpu_s is None or not row.top_rule:
        return _UNKNOWN
    return gpu_time(row.lost_gpu_s) if row.is_estimate else f"<= {gpu_time(row.lost_gpu_s)}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    placed = [
        cell.rjust(width) if at in _RIGHT else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(placed).rstrip()
