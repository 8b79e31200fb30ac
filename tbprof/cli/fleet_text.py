"""The runs of a log directory: as text, JSON, CSV and Markdown."""

from __future__ import annotations

import dataclasses
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone

from tbprof.cli.output_file import Problem
from tbprof.escaping import code, escaped, json_text, plain, prose
from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.fleet import NOT_READ, gpu_hours, hours
from tbprof.views.fleet import FleetRow, FleetView, fleet_csv

SCHEMA = 1

_HEADS = (
    *("run", "owner", "commit", "recorded", "GPUs", "watched", "goodput", "step", "change"),
    *("busy", "comm.", "idle", "GPU-h/day", "top GPU-h", "to", "alarm", "problem", "job"),
)

_RIGHT = range(4, 14)
"""Columns of figures."""

_GOODPUT = _HEADS.index("goodput")
"""Left out of text that is narrow, or where no run has one."""
_GOODPUT_FROM = 100

_WIDTH = 120
"""The width of what no terminal shows."""

_LEAST_WIDTH = 80

_GAP = 2

_INDENT = " " * 4

_UNKNOWN = "-"

_COMMIT_DIGITS = 10


def fleet_text(view: FleetView, width: int | None) -> str:
    """Two sentences, and of each run its figures in a line and what to know of it below, none of it cut.

    Without a width it is the terminal's, which `COLUMNS` can tell; what is not recorded is a dash.
    """
    width = max(width or shutil.get_terminal_size((_WIDTH, 0)).columns, _LEAST_WIDTH)
    has_goodput = width >= _GOODPUT_FROM and any(row.goodput is not None for row in view.rows)
    shown = [at for at in _RIGHT if at != _GOODPUT or has_goodput]
    lines = [[cells[at] for at in (0, *shown)] for cells in (_HEADS, *map(_cells, view.rows))]
    cells = [[plain(cell) for cell in line] for line in lines]
    widths = [max(len(line[at]) for line in cells) for at in range(1, len(cells[0]))]
    room = min(width - sum(widths) - _GAP * len(widths), max(len(line[0]) for line in cells))
    head, *rows = (_run_lines(name, figures, widths, room) for name, *figures in cells)
    sentences = [line for said in (view.verdict, view.detail) for line in _wrapped(plain(said), width, "")]
    table = [
        *head,
        *(line for row, run in zip(rows, view.rows, strict=True) for line in (*row, *_about(run, width))),
    ]
    return "\n".join([*sentences, "", *table]) + "\n"


def fleet_json(view: FleetView, problems: Sequence[Problem] = ()) -> str:
    """One object, all figures as they are; null is not recorded. `problems` is what could not be read."""
    return json_text(
        {
            "schema": SCHEMA,
            "verdict": view.verdict,
            "detail": view.detail,
            "runs": [dataclasses.asdict(row) for row in view.rows],
            "problems": [problem.document() for problem in problems],
        }
    )


def fleet_markdown(view: FleetView) -> str:
    """The same table, for a page or a ticket."""
    lines = [
        f"**{prose(view.verdict)}**",
        "",
        prose(view.detail),
        "",
        "| " + " | ".join(_HEADS) + " |",
        "|" + "|".join("---:" if at in _RIGHT else "---" for at in range(len(_HEADS))) + "|",
        *("| " + " | ".join(_marked(_cells(row))) + " |" for row in view.rows),
    ]
    return "".join(f"{line}\n" for line in lines)


def _marked(cells: Sequence[str]) -> list[str]:
    run, *rest = cells
    return [code(run), *map(escaped, rest)]


def _cells(row: FleetRow) -> tuple[str, ...]:
    about = (
        row.name,
        row.owner or _UNKNOWN,
        (row.commit or _UNKNOWN)[:_COMMIT_DIGITS],
        f"{datetime.fromtimestamp(row.recorded_s, timezone.utc):%Y-%m-%d %H:%M}",
    )
    if row.state != "ready":
        return (*about, *[_UNKNOWN] * len(_RIGHT), row.problem or NOT_READ, "", "", "")
    figures = (
        _UNKNOWN if row.gpus is None else str(row.gpus),
        _UNKNOWN if row.watched_s is None else hours(row.watched_s),
        _UNKNOWN if row.goodput is None else share(row.goodput),
        _UNKNOWN if row.step_us is None else duration(row.step_us),
        _UNKNOWN if row.change is None else f"{'+' if row.change > 0 else ''}{share(row.change)}",
        *(_UNKNOWN if part is None else share(part) for part in (row.busy, row.communication, row.idle)),
        _UNKNOWN if row.idle_gpu_h is None else gpu_hours(row.idle_gpu_h),
        _cost(row),
    )
    return (*about, *figures, _top(row), row.alarm, row.problem, row.job)


def _top(row: FleetRow) -> str:
    """The line, or what is to be recorded first."""
    return f"{row.top_rule} {row.top_place}".strip() if row.top_rule else row.top_action.replace("`", "")


def _cost(row: FleetRow) -> str:
    if row.top_gpu_h is None or not row.top_rule:
        return _UNKNOWN
    hours = gpu_hours(row.top_gpu_h)
    return hours if row.is_estimate or hours.startswith("<") else f"<= {hours}"


def _run_lines(name: str, figures: Sequence[str], widths: Sequence[int], room: int) -> list[str]:
    """The name and the figures; a name that is too long for its column has a line of its own."""
    placed = (" " * _GAP).join(cell.rjust(width) for cell, width in zip(figures, widths, strict=True))
    if len(name) > room:
        return [name, f"{'':{room + _GAP}}{placed}"]
    return [f"{name:<{room + _GAP}}{placed}"]


def _about(row: FleetRow, width: int) -> list[str]:
    """The owner and the commit of a run, where most of it is lost, what it added, and what is wrong."""
    _, owner, commit, recorded, *_, place, alarm, problem, job = _cells(row)
    if row.state == "ready" and row.top_rule:
        place += f": {row.top_action}"
    equal = [f"the newest of {count(row.runs, 'equal run')}"] if row.runs > 1 else []
    about = [owner, "no commit" if row.commit is None else f"commit {commit}", recorded, *equal]
    if alarm and not row.is_alarm and row.commit is not None:
        about.append(alarm)
    warnings = (alarm if row.is_alarm else "", problem)
    texts = [", ".join(about), job, place, *(f"! {warning}" for warning in warnings if warning)]
    return [line for text in texts for line in _wrapped(plain(text), width, _INDENT)]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """At spaces only: a path stays whole."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )


FORMS: Mapping[str, Callable[[FleetView, int | None], str]] = {
    "text": fleet_text,
    "json": lambda view, _: fleet_json(view),
    "csv": lambda view, _: fleet_csv(view.rows),
    "markdown": lambda view, _: fleet_markdown(view),
}
"""A list of runs by the name of its form, from it and the columns for text."""
