"""Runs the programs of `programs/` and compares what is predicted with the marks on their lines."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from script_runner import ScriptRunner
from timeouts import PATIENCE_S

from tbprof.preflight.document import Json, document
from tbprof.preflight.session import Preflight

PROGRAMS = Path(__file__).parent / "programs"

_MARK = re.compile(r"#! (?P<kinds>[a-z_, ]+)$")
"""A line ends in `#! upload, scalar_read`: the kinds that it must have, and no others."""
_IN_LIBRARIES = re.compile(r"^# In the libraries: (?P<places>.*)$", re.MULTILINE)


def marks(program: Path) -> set[tuple[int | str, str]]:
    """Every kind that a program is marked with, by its line or by the library that it is in."""
    source = program.read_text(encoding="utf-8")
    found: set[tuple[int | str, str]] = set()
    for number, line in enumerate(source.splitlines(), start=1):
        mark = _MARK.search(line)
        if mark is not None:
            found |= {(number, kind.strip()) for kind in mark["kinds"].split(",")}
    for places in _IN_LIBRARIES.findall(source):
        for place in places.split(";"):
            library, _, kinds = place.partition(":")
            found |= {(library.strip(), kind.strip()) for kind in kinds.split(",")}
    return found


def predicted_lines(predicted: Json) -> set[tuple[int | str, str]]:
    """The same of what is predicted."""
    sites = [predicted["sites"][index] for finding in predicted["findings"] for index in finding["sites"]]
    return {(site["library"] or site["source"]["line"], site["kind"]) for site in sites}


def run_here(program: Path, *, steps: int = 3) -> Json:
    """Run a program in this process, as the command does in one of its own."""
    source = compile(program.read_bytes(), str(program), "exec", dont_inherit=True)
    with Preflight(steps=steps, program=program.name) as preflight:
        exec(source, {"__name__": "__main__", "__file__": str(program)})
    return document(preflight.prediction)


def run_alone(processes: ScriptRunner, folder: Path, program: Path, **environment: str) -> Any:
    """What the command prints of a program in a process of its own, which works in `folder`."""
    folder.mkdir(exist_ok=True)
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
    command = ["-m", "tbprof.preflight", "--format", "json", program]
    ended = processes.run(command, folder, variables, limit_s=PATIENCE_S)
    assert ended.exit_code == 0, ended.stderr
    return json.loads(ended.stdout)
