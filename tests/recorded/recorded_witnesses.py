"""Waits that independent witnesses saw in a program, beside those that tbprof finds in its trace.

A recording holds for each program the rows of torch's sync debug mode and of its GPU trace
callbacks, each with the user's line, and windows of the same program. Neither witness sees all: the
first misses synchronizes of the device and of events, the second cannot tell a blocking copy without
a synchronize, and neither sees a pageable copy that was asked not to block, nor what NVIDIA's
libraries do on their own. The truth is their union; what the trace alone can show is counted apart.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from recorded_lines import STEPS

from tbprof.model import Report, Site
from tbprof.report import build_report

Function = tuple[str, int]
"""A file of the programs, and the line on which a function of it begins: what a frame of a trace tells."""

AUTOGRAD: Function = ("", 0)
"""Autograd's own threads, which no frame names."""

_STACKS = "stacks"
_PROGRAMS = "recording/programs/"
_REPLAYED = "_engine_run_backward"
"""Where torch repeats a warning of autograd's threads, in the frame that called `backward()`."""
_OF_LIBRARIES = "aten::_linalg_"
"""Ops in which a library of NVIDIA's copies and waits by itself."""
_ONLY_CALLBACKS = ("cudaDeviceSynchronize", "cudaEventSynchronize")
"""Calls that sync debug mode does not see."""


@dataclass(frozen=True, slots=True)
class WitnessedProgram:
    """`waits` counts those of one step by the function that they come from."""

    name: str
    trace: Path
    waits: Mapping[Function, int]
    has_callbacks: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """Points of one step; sites are functions that hold any."""

    found: int
    witnessed: int
    points_agreed: int
    trace_only: int
    """Found points to which the witnesses that were there are blind; not in `found`."""
    sites_found: int
    sites_witnessed: int
    sites_agreed: int


def read_programs(folder: Path) -> Iterator[WitnessedProgram]:
    """The programs of a recording that have a window with stacks and at least one witness."""
    programs = json.loads((folder / "programs.json").read_text(encoding="utf-8"))["programs"]
    for name, passes in programs.items():
        heard = [passes["time"].get("sync_debug"), passes["callback"].get("gpu_trace")]
        windows = {each["variant"]: each["path"] for each in passes["window"].get("windows", ())}
        if _STACKS in windows and any(rows is not None for rows in heard):
            waits = _union(_waits_per_step(rows or (), folder / "source") for rows in heard)
            yield WitnessedProgram(name, folder / windows[_STACKS], waits, heard[1] is not None)


def agreement(program: WitnessedProgram) -> Agreement:
    """What tbprof finds in the window with stacks, against the witnesses."""
    found, hidden = _found_per_step(build_report(program.trace), program)
    beyond = (found - Counter(program.waits)) & hidden
    found -= beyond
    both = found & Counter(program.waits)
    return Agreement(
        found=found.total(),
        witnessed=sum(program.waits.values()),
        points_agreed=both.total(),
        trace_only=beyond.total(),
        sites_found=len(found),
        sites_witnessed=len(program.waits),
        sites_agreed=len(both),
    )


def _waits_per_step(rows: Iterable[Mapping[str, Any]], source: Path) -> Counter[Function]:
    """What each step had: some programs wait in one step of many."""
    steps: list[Counter[Function]] = [Counter() for _ in range(STEPS)]
    for row in rows:
        steps[row["step"]][_function_of(row, source)] += 1
    first, *others = steps
    for step in others:
        first &= step
    return first


def _function_of(row: Mapping[str, Any], source: Path) -> Function:
    if row["file"] is None or _REPLAYED in (row.get("library_frame") or ""):
        return AUTOGRAD
    line = row["line"]
    around = (begin for begin, end in _functions(source / row["file"]) if begin <= line <= end)
    return row["file"].removeprefix(_PROGRAMS), max(around)


@cache
def _functions(file: Path) -> tuple[tuple[int, int], ...]:
    """First and last line of each function of a file; a decorator is the first."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.Lambda)]
    return tuple(
        (
            min([each.lineno, *(line.lineno for line in getattr(each, "decorator_list", ()))]),
            each.end_lineno or 0,
        )
        for each in functions
    )


def _union(counts: Iterable[Counter[Function]]) -> Counter[Function]:
    union: Counter[Function] = Counter()
    for each in counts:
        union |= each
    return union


def _found_per_step(report: Report, program: WitnessedProgram) -> tuple[Counter[Function], Counter[Function]]:
    """All blocking points, and those of them that the program's witnesses could not see."""
    found: Counter[Function] = Counter()
    hidden: Counter[Function] = Counter()
    for site in report.sites:
        points = round(site.blocking / max(len(report.steps), 1))
        if points:
            found[_function(site)] += points
        if points and _is_hidden(site, has_callbacks=program.has_callbacks):
            hidden[_function(site)] += points
    return found, hidden


def _is_hidden(site: Site, *, has_callbacks: bool) -> bool:
    if not has_callbacks and site.calls[-1] in _ONLY_CALLBACKS:
        return True
    asked_not_to_block = not any("Synchronize" in call for call in site.calls)
    is_of_library = bool(site.ops) and site.ops[0].startswith(_OF_LIBRARIES)
    return site.memory == "pageable" and (asked_not_to_block or is_of_library)


def _function(site: Site) -> Function:
    """The program's frame; what ran the programs calls some of the waits, and is no part of them."""
    frames = () if site.source is None else (site.source, *site.callers)
    own = (frame for frame in frames if _PROGRAMS in frame.file)
    return next(((each.file.partition(_PROGRAMS)[2], each.line or 0) for each in own), AUTOGRAD)
