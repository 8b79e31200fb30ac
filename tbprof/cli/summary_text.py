"""The runs of a folder, one line each: for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Sequence

from tbprof.cli.output_file import Problem
from tbprof.cli.reading import near_path
from tbprof.escaping import inert, json_text, plain
from tbprof.texts.actions import worth_words
from tbprof.texts.figures.places import scope_of
from tbprof.texts.figures.quantities import duration, share
from tbprof.texts.job import rank_name
from tbprof.views.run_summary import RunSummary

SCHEMA = 1

_HEADS = ("run", "ranks", "steps", "step", "GPU idle", "first action")
_RIGHT = range(1, 5)
"""Columns of figures."""


def summary_text(rows: Sequence[RunSummary]) -> str:
    """A table; the last column is as wide as it is."""
    cells = [_HEADS, *(_cells(row) for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(_HEADS))]
    return "".join(f"{_line(line, widths)}\n" for line in cells)


def summary_csv(rows: Sequence[RunSummary]) -> str:
    """With a head; what is not known is empty."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(field.name for field in dataclasses.fields(RunSummary))
    for row in rows:
        table.writerow(inert(value) for value in dataclasses.astuple(row))
    return text.getvalue()


def summary_json(rows: Sequence[RunSummary], problems: Sequence[Problem]) -> str:
    """One object; `problems` are what was met on the way to the rows."""
    runs = [dataclasses.asdict(row) for row in rows]
    return json_text({"schema": SCHEMA, "runs": runs, "problems": [one.document() for one in problems]})


def _cells(row: RunSummary) -> tuple[str, ...]:
    step = "-" if row.step_us is None else duration(row.step_us)
    idle = "-" if row.idle_share is None else share(row.idle_share)
    figures = (str(row.ranks), str(row.steps), step, idle)
    return tuple(plain(cell) for cell in (near_path(row.run), *figures, _action(row)))


def _action(row: RunSummary) -> str:
    """Of several ranks it is said which one's it is: the share beside it is that of all."""
    whose = f"{rank_name(row.rank, '')}: " if row.ranks > 1 and row.rank is not None else ""
    return whose + _first_words(row)


def _first_words(row: RunSummary) -> str:
    if row.is_predicted:
        # Lines that would wait for a GPU are worth what only one can show.
        return f"{row.first_action} (predicted)"
    if row.saves_us is None:
        return row.first_action or row.opening
    worth = worth_words(row.saves_us if row.is_estimate else None, row.saves_us, adds=False)
    return f"{row.first_action}: {worth} {scope_of(marks_steps=row.marks_steps).each}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    placed = [
        cell.rjust(width) if at in _RIGHT else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(placed).rstrip()
