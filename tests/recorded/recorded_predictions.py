"""What preflight predicts of a recording's programs, beside what was witnessed on the device.

A recording holds the programs as they ran, in `source/`; the lines of its witnesses, and those that
the authors marked with `# sync: why`, are lines of these files. Here the same programs take a few
steps without a GPU, as small as they can be.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from recorded_lines import STEPS, Line, lines_run
from recorded_source import Setting, build, importable

from tbprof.line_rules import STAGED_BYTES
from tbprof.preflight.prediction import PredictedSite
from tbprof.preflight.session import Preflight

_PROGRAMS = "recording/programs/"
"""Files above this folder belong to what ran the programs, and no line of theirs counts."""

_LEAST = {"operations": STAGED_BYTES}
"""Elements that a program works on at least: whether a copy waits depends on its size."""


@dataclass(frozen=True, slots=True)
class ProgramPrediction:
    """Of the steps of one program: its sites, and the lines that ran. `error` says why there are none."""

    sites: tuple[PredictedSite, ...]
    ran: frozenset[Line]
    error: str = ""


@cache
def predict(recording: Path, name: str) -> ProgramPrediction:
    """Run a program of a recording under preflight: build it, warm it up, and watch a few steps.

    Several tables ask for the same program.
    """
    source = recording / "source"
    with importable(source):
        try:
            return _watched(name, source)
        except Exception as error:  # noqa: BLE001 - the border to the recorded program
            return ProgramPrediction((), frozenset(), error=str(error))


def lines_of(site: PredictedSite) -> tuple[Line, ...]:
    """The lines of programs that a site comes from, innermost first; at least one in a recording."""
    frames = (site.source, *site.callers)
    return tuple((each.file, each.line or 0) for each in frames if each.file.startswith(_PROGRAMS))


def _watched(name: str, source: Path) -> ProgramPrediction:
    with warnings.catch_warnings(), Preflight(steps=None):
        warnings.simplefilter("ignore")  # Such as that of anomaly detection, which is there on purpose.
        session = build(name, Setting(torch.device("cuda"), small=True, least=_LEAST.get(name, 0)))
        try:
            session.step()
            with Preflight(steps=None) as watched, lines_run(source) as ran:
                for _ in range(STEPS):
                    session.step()
        finally:
            session.close()
    return ProgramPrediction(watched.sites, frozenset(ran))
