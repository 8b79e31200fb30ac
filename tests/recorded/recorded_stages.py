"""A program that was repaired stage by stage: what each repair was predicted to save, and did save.

The recording holds the step time of each stage without a profiler, and a window of it. What a stage
removes are the sync points and copies of its window that the next stage no longer has, told by their
direction, memory, bytes and ops. The predicted saving is that of removing them from the window before.
Each stage was timed once, in a process of its own.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from hook_scenes import hook_facts
from prediction import ALL_SITES, Prediction

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.model import HookFacts, Saving
from tbprof.trace.importers.kineto.reader import read_trace

Origin: TypeAlias = tuple[str, str, int, tuple[str, ...]]
"""Direction, memory, bytes and ops: what tells two waits apart where no lines are recorded."""

_PREFIX = "patch-"
_SYNCHRONIZED = re.compile("-synchroni[sz]ed$")
"""Recordings spell it either way."""
_WINDOW = "plain"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage without a profiler: its step, how far it differs, and the trace of its window."""

    name: str
    step_ns: int
    noise_ns: int
    trace: Path


@dataclass(frozen=True, slots=True)
class Repair:
    """From one stage to the next. `removed` is empty where the repair removes no wait."""

    before: str
    after: str
    removed: tuple[Origin, ...]
    prediction: Prediction


def read_stages(recording: Path, *, synchronized: bool) -> tuple[Stage, ...]:
    """The stages in order, with or without a synchronize at the end of a step; only those with times."""
    programs = json.loads((recording / "programs.json").read_text(encoding="utf-8"))["programs"]
    chosen = sorted(
        name
        for name in programs
        if name.startswith(_PREFIX) and bool(_SYNCHRONIZED.search(name)) == synchronized
    )
    found = (_stage(recording, name, programs[name]) for name in chosen)
    return tuple(stage for stage in found if stage is not None)


def judge_repairs(stages: Sequence[Stage]) -> Iterator[Repair]:
    """What each stage was predicted to save; none where a window holds no device work."""
    facts = [Facts(dataclasses.replace(read_trace(each.trace), facts=_timed(each))) for each in stages]
    if not all(each.work.devices for each in facts):
        return
    for (before, known), (after, next_known) in pairwise(zip(stages, facts, strict=True)):
        yield _repair(before, after, known, next_known)


def _timed(stage: Stage) -> HookFacts:
    return hook_facts(recorded_steps=0, unprofiled_step_ns=stage.step_ns)


def _stage(recording: Path, name: str, passes: Mapping[str, Any]) -> Stage | None:
    windows = {each["variant"]: each["path"] for each in passes["window"].get("windows", ())}
    if "times" not in passes["time"] or _WINDOW not in windows:
        return None
    times = passes["time"]["times"]
    return Stage(
        name=_SYNCHRONIZED.sub("-synchronized", name.removeprefix(_PREFIX)),
        step_ns=round(times["wall_per_step"] * 1e6),
        noise_ns=round(times["host"]["iqr"] * 1e6),
        trace=recording / windows[_WINDOW],
    )


def _repair(before: Stage, after: Stage, facts: Facts, next_facts: Facts) -> Repair:
    origins, left = _origins(facts), _per_step(next_facts)
    removed = tuple(
        origin for origin, count in _per_step(facts).items() if round(count) > 0 and round(left[origin]) == 0
    )
    chosen = np.array([at for at, origin in origins.items() if origin in removed], np.int64)
    # What is no longer uploaded is there already: its line is gone.
    uploads = np.array([at for at in chosen.tolist() if origins[at][0] == "HtoD"], np.int64)
    scale = before.step_ns / int((facts.steps.end_ns - facts.steps.start_ns).sum())
    return Repair(
        before=before.name,
        after=after.name,
        removed=removed,
        prediction=Prediction(
            site=ALL_SITES,
            predicted=_scaled(saving_of(facts, chosen, "drop", uploads), scale),
            true_ns=before.step_ns - after.step_ns,
            window_ns=before.step_ns,
            noise_ns=max(before.noise_ns, after.noise_ns),
        ),
    )


def _origins(facts: Facts) -> Mapping[int, Origin]:
    """Of the episodes that blocked, by position."""
    bytes_of = facts.episodes.bytes.tolist()
    return {
        at: (site.direction, site.memory, bytes_of[at], site.ops)
        for site in facts.sites
        if site.blocking
        for at in site.members.tolist()
    }


def _per_step(facts: Facts) -> Mapping[Origin, float]:
    """Sync points of each origin in a step, as a mean over the window; 0 for those that are not there."""
    counts: defaultdict[Origin, float] = defaultdict(float)
    for origin in _origins(facts).values():
        counts[origin] += 1 / len(facts.steps)
    return counts


def _scaled(saving: Saving, scale: float) -> Saving:
    estimate = None if saving.estimate_ns is None else round(saving.estimate_ns * scale)
    return Saving(round(saving.floor_ns * scale), estimate, round(saving.ceiling_ns * scale))
