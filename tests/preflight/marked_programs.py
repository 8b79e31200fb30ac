"""Runs the programs of `programs/` and compares what is foretold with the marks on their lines."""

from __future__ import annotations

import re
from pathlib import Path

from tbprof.preflight.prediction import Prediction
from tbprof.preflight.session import Preflight

PROGRAMS = Path(__file__).parent / "programs"

_MARK = re.compile(r"#! (?P<kinds>[a-z_, ]+)$")
"""A line ends in `#! upload, scalar_read`: the kinds that it must have, and no others."""


def marks(program: Path) -> set[tuple[int, str]]:
    """Every (line, kind) that a program is marked with."""
    lines = program.read_text(encoding="utf-8").splitlines()
    found = ((number, _MARK.search(line)) for number, line in enumerate(lines, start=1))
    return {
        (number, kind.strip())
        for number, mark in found
        if mark is not None
        for kind in mark["kinds"].split(",")
    }


def foretold(prediction: Prediction, program: Path) -> set[tuple[int, str]]:
    """Every (line, kind) of a prediction's findings; those of other files as line 0."""
    sites = [prediction.sites[finding.site] for finding in prediction.findings]
    return {
        ((site.source.line or 0) if site.source.file.endswith(program.name) else 0, site.kind)
        for site in sites
    }


def run_here(program: Path, *, steps: int = 3) -> Prediction:
    """Run a program in this process, as the command does in one of its own."""
    source = compile(program.read_bytes(), str(program), "exec", dont_inherit=True)
    with Preflight(steps=steps, program=program.name) as preflight:
        exec(source, {"__name__": "__main__", "__file__": str(program)})
    return preflight.prediction
