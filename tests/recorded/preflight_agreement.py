"""Predicted lines beside those that a device's witnesses saw, and beside those that authors marked.

Neither is the whole truth. No witness sees memory that goes back to the driver, or a pageable copy
that was asked not to block, and only the callbacks see each explicit synchronize. A
mark is what the author of a program expects: a comment, of which some say "where" or "under" which
condition, or what a form of the table of operations `expects`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recorded_lines import Line, Marks, is_conditional, read_marks
from recorded_predictions import ProgramPrediction, lines_of, predict

from tbprof.preflight.prediction import PredictedSite

_FORMS = "recording/programs/operations.py"


@dataclass(frozen=True, slots=True)
class PredictedProgram:
    """Lines of one program: predicted to wait, witnessed or None without a witness, and marked."""

    name: str
    predicted: frozenset[Line]
    unwitnessable: frozenset[Line]
    """Those of the predicted lines that no witness could have seen."""
    said_elsewhere: frozenset[Line]
    """Calls of `backward()` to which torch's warnings ascribe a predicted line inside it."""
    witnessed: frozenset[Line] | None
    marked: frozenset[Line]
    maybe: frozenset[Line]
    """Marked under a condition."""
    error: str


@dataclass(frozen=True, slots=True)
class Agreement:
    both: int
    missed: frozenset[Line]
    unexpected: frozenset[Line]


def predicted_programs(recording: Path) -> Iterator[PredictedProgram]:
    """Each program of a recording, run again by preflight."""
    recorded = json.loads((recording / "programs.json").read_text(encoding="utf-8"))
    marks = {**read_marks(recording), **_expected(recording)}
    for name, passes in recorded["programs"].items():
        yield _program(name, predict(recording, name), passes, marks)


def compare(program: PredictedProgram, told: frozenset[Line], forgiven: frozenset[Line]) -> Agreement:
    """Predicted lines against told ones; a forgiven line counts where it was told only."""
    return Agreement(
        both=len(program.predicted & told),
        missed=told - program.predicted - program.said_elsewhere,
        unexpected=program.predicted - told - forgiven,
    )


def _expected(recording: Path) -> Marks:
    """Lines of the table of operations; those that were to be found out have a mark "?"."""
    forms = json.loads((recording / "operations.json").read_text(encoding="utf-8"))["forms"]
    return {(_FORMS, form["line"]): form["expects"] for form in forms if form["expects"] in ("sync", "?")}


def _program(
    name: str, predicted: ProgramPrediction, passes: Mapping[str, Any], marks: Marks
) -> PredictedProgram:
    waiting = [site for site in predicted.sites if site.blocking]
    has_callbacks = passes["callback"].get("gpu_trace") is not None
    seen = {lines_of(site)[0] for site in waiting if not _is_unwitnessable(site, has_callbacks)}
    lines = frozenset(lines_of(site)[0] for site in waiting)
    in_backward = [lines_of(site)[1:2] for site in waiting if site.source.function == "backward"]
    maybe = {line for line, why in marks.items() if is_conditional(why)}
    return PredictedProgram(
        name=name,
        predicted=lines,
        unwitnessable=lines - seen,
        said_elsewhere=frozenset(line for callers in in_backward for line in callers),
        witnessed=_witnessed(passes),
        marked=frozenset(predicted.ran & marks.keys()) - maybe,
        maybe=frozenset(predicted.ran & maybe),
        error=predicted.error,
    )


def _is_unwitnessable(site: PredictedSite, has_callbacks: bool) -> bool:
    if site.call == "synchronize" and not has_callbacks:
        return True
    return site.call == "empty_cache" or (site.memory == "pageable" and bool(site.non_blocking))


def _witnessed(passes: Mapping[str, Any]) -> frozenset[Line] | None:
    heard = [passes["time"].get("sync_debug"), passes["callback"].get("gpu_trace")]
    if all(rows is None for rows in heard):
        return None
    rows = (row for rows in heard for row in rows or ())
    return frozenset((row["file"], row["line"]) for row in rows if row["file"] is not None)
