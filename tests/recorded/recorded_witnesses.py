"""Waits that independent witnesses saw in a program, beside those that tbprof finds in its trace.

A recording holds for each program the rows of torch's sync debug mode and of its GPU trace
callbacks, each with the user's line, and windows of the same program. Neither witness sees all:
the first misses explicit synchronizes, the second cannot tell a blocking copy without a
synchronize, and neither sees a pageable copy that was asked not to block. The truth is their union;
what the trace alone can show is counted apart.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tbprof.model import Report, Site
from tbprof.report import build_report

Function = tuple[str, str]
"""Name of the file, without its folders, and of the function: what a frame of a trace tells as well."""

_STACKS = "stacks"


@dataclass(frozen=True, slots=True)
class WitnessedProgram:
    """`waits` counts those of one step by the function that they come from."""

    name: str
    trace: Path
    waits: Mapping[Function, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Points of one step; sites are functions that hold any."""

    found: int
    witnessed: int
    points_agreed: int
    trace_only: int
    """Found blocking copies of pageable memory, to which the witnesses are blind; not in `found`."""
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
            waits = _union(_waits_per_step(rows or ()) for rows in heard)
            yield WitnessedProgram(name, folder / windows[_STACKS], waits)


def agreement(program: WitnessedProgram) -> Agreement:
    """What tbprof finds in the window with stacks, against the witnesses."""
    report = build_report(program.trace)
    found, trace_only = _found_per_step(report, program.waits)
    both = found & Counter(program.waits)
    return Agreement(
        found=found.total(),
        witnessed=sum(program.waits.values()),
        points_agreed=both.total(),
        trace_only=trace_only,
        sites_found=len(found),
        sites_witnessed=len(program.waits),
        sites_agreed=len(both),
    )


def _waits_per_step(rows: Iterable[Mapping[str, Any]]) -> Counter[Function]:
    """The most that a step had: the first ones may still be warming up caches."""
    steps: dict[int, Counter[Function]] = {}
    for row in rows:
        if row["file"] is not None:
            function = (Path(row["file"]).name, row["function"])
            steps.setdefault(row["step"], Counter())[function] += 1
    return _union(steps.values())


def _union(counts: Iterable[Counter[Function]]) -> Counter[Function]:
    union: Counter[Function] = Counter()
    for each in counts:
        union |= each
    return union


def _found_per_step(report: Report, witnessed: Mapping[Function, int]) -> tuple[Counter[Function], int]:
    steps = max(len(report.steps), 1)
    found: Counter[Function] = Counter()
    trace_only = 0
    for site in report.sites:
        points = round(site.blocking / steps)
        if points == 0:
            continue
        if _is_hidden_from_witnesses(site) and _function(site) not in witnessed:
            trace_only += points
        else:
            found[_function(site)] += points
    return found, trace_only


def _is_hidden_from_witnesses(site: Site) -> bool:
    return site.memory == "pageable" and not any("Synchronize" in call for call in site.calls)


def _function(site: Site) -> Function:
    if site.source is None:
        return "", ""
    return Path(site.source.file).name, site.source.function
