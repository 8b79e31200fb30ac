"""A step for another viewer: its rows, its launches, and what was found in it."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.export.excerpt import Note, excerpt


def step_reach(facts: Facts, step: int) -> tuple[int, int]:
    """From the step's start until the last device work that it launched has ended."""
    start, end = int(facts.steps.start_ns[step]), int(facts.steps.end_ns[step])
    work = facts.work
    mine = (work.launch != NONE) & (work.launch_start_ns >= start) & (work.launch_start_ns < end)
    return start, max(end, int(work.end_ns[mine].max(initial=end)))


def step_excerpt(facts: Facts, step: int, notes: tuple[Note, ...]) -> bytes:
    """Chrome's JSON of everything that ran while the step or its work did."""
    start, end = step_reach(facts, step)
    slices, work = facts.trace.slices, facts.work
    inside = (slices.start_ns < end) & (slices.end_ns > start)
    launched = np.flatnonzero(work.launch != NONE)
    both = inside[work.launch[launched]] & inside[work.rows[launched]]
    arrows = list(zip(work.launch[launched[both]].tolist(), work.rows[launched[both]].tolist(), strict=True))
    return excerpt(facts.trace, np.flatnonzero(inside), arrows, notes, zero_ns=start)
