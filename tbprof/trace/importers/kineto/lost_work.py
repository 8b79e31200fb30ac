"""Launches and work of the GPU that do not find each other: joined by their order where it tells enough; else
the steps that lack work are left out, where others are whole.

Some profilers give several kernels one correlation, or those of communication none: all rows are in the
file, as many without a launch as there are launches without work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact, HealthSeverity
from tbprof.trace.columns.arrays import Int64s, distinct, distinct_places, find_sorted, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import GPU_WORK, STEP_PREFIX

LOST_SHARE = 0.05
"""The share of the launches; with more without their work a device can't be judged. Real traces that are
whole have none."""

_LAUNCH = re.compile(r"(?:cuda|hip|cu)(?:Ext)?(?:Module)?LaunchKernel")
_BEGIN_CAPTURE = re.compile(r"(?:cuda|hip|cu)StreamBeginCapture")
_END_CAPTURE = re.compile(r"(?:cuda|hip|cu)StreamEndCapture")
_STEP = re.compile(rf"{STEP_PREFIX}\d")


def with_work_joined(trace: Trace) -> Trace:
    """The trace, with each row of the GPU that has no launch of its own given one of those without a row."""
    launches = named(trace, _LAUNCH, Category.RUNTIME)
    rows = np.flatnonzero(trace.slices.category == Category.KERNEL)
    start_ns, correlation = trace.slices.start_ns, trace.slices.correlation
    rows = rows[np.argsort(start_ns[rows], kind="stable")]
    launched: Int64s = np.sort(correlation[launches])
    _, has_launch = find_sorted(launched, correlation[rows])
    _, first = np.unique(correlation[rows], return_index=True)
    is_first = np.zeros(len(rows), bool)
    is_first[first] = True
    spare = rows[(has_launch & ~is_first) | (correlation[rows] <= 0)]
    _, ran = find_sorted(np.sort(correlation[rows]), correlation[launches])
    without = launches[~ran & ~_are_captured(trace, launches)]
    without = without[np.argsort(start_ns[without], kind="stable")]
    if not len(spare) or len(spare) != len(without) or (start_ns[spare] < start_ns[without]).any():
        return trace
    joined = correlation.copy()
    joined[spare] = correlation[without]
    fact = HealthFact("gpu_rows_joined", "warning", {"rows": len(spare)})
    known = (fact for fact in trace.health if fact.code != "gpu_rows_without_launch")
    return replace(trace, slices=replace(trace.slices, correlation=joined), health=(*known, fact))


def facts_of_launches(trace: Trace) -> Iterator[HealthFact]:
    """How many launches lack their work: for they recorded a graph, or it was lost."""
    launches, lost, captured = _launches(trace)
    if captured:
        yield HealthFact("launches_captured", "info", {"rows": captured, "of": len(launches)})
    timeless = _timeless_calls(trace)
    rows, of = len(lost) + timeless, len(launches) + timeless
    if rows:
        severity: HealthSeverity = "warning" if rows >= LOST_SHARE * of else "info"
        part = "" if timeless else _part(trace, launches, lost)
        where = {"part": part} if part else {}
        yield HealthFact("launches_without_gpu_rows", severity, {"rows": rows, "of": of, **where})


def _timeless_calls(trace: Trace) -> int:
    """Calls that have no time: nobody knows where in the window their work was."""
    strays = (fact.numbers for fact in trace.health if fact.code == "stray_times")
    return sum(int(numbers.get("calls", 0)) for numbers in strays)


def with_whole_steps(trace: Trace) -> Trace:
    """The trace, without the marks of steps that lack work where much is lost and other steps are whole.

    The most steps in a row are kept. A few launches that lie outside of all steps are no matter.
    """
    fact = next((fact for fact in trace.health if fact.code == "launches_without_gpu_rows"), None)
    if fact is None or fact.severity != "warning" or _timeless_calls(trace):
        return trace
    marks, kept = _whole_steps(trace)
    if not kept.any():
        return trace
    category = trace.slices.category.copy()
    left_out = distinct(trace.slices.name[marks[~kept]])
    is_mark = is_among(category, (Category.USER_ANNOTATION, Category.GPU_ANNOTATION))
    category[is_mark & np.isin(trace.slices.name, left_out)] = Category.OTHER
    numbers = {"steps": int((~kept).sum()), "of": len(kept), "launches": int(fact.numbers["rows"])}
    known = (other for other in trace.health if other is not fact)
    left_out_fact = HealthFact("steps_left_out", "warning", numbers)
    health = (*known, replace(fact, severity="info") if kept.all() else left_out_fact)
    return replace(trace, slices=replace(trace.slices, category=category), health=health)


def _whole_steps(trace: Trace) -> tuple[Int64s, npt.NDArray[np.bool_]]:
    """The rows that mark steps, in their order, and which of them to keep."""
    slices = trace.slices
    marks = named(trace, _STEP, Category.USER_ANNOTATION)
    marks = marks[np.argsort(slices.start_ns[marks], kind="stable")]
    launches, lost, _ = _launches(trace)
    starts_ns, ends_ns = slices.start_ns[marks], (slices.start_ns + slices.duration_ns)[marks]

    def inside(rows: Int64s) -> Int64s:
        at_ns = np.sort(slices.start_ns[rows])
        counted: Int64s = np.searchsorted(at_ns, ends_ns) - np.searchsorted(at_ns, starts_ns)
        return counted

    whole = (inside(lost) == 0) & (inside(launches) > 0)
    kept, best = np.zeros(len(marks), bool), 0
    run = 0
    for at, is_whole in enumerate(whole.tolist()):
        run = run + 1 if is_whole else 0
        if run > best:
            best = run
            kept[:] = False
            kept[at - run + 1 : at + 1] = True
    return marks, kept


def _launches(trace: Trace) -> tuple[Int64s, Int64s, int]:
    """Launches of kernels, those of them whose work was lost, and how many others recorded a graph."""
    on_gpu = is_among(trace.slices.category, GPU_WORK)
    launches = named(trace, _LAUNCH, Category.RUNTIME)
    _, ran = find_sorted(distinct(trace.slices.correlation[on_gpu]), trace.slices.correlation[launches])
    without = launches[~ran]
    is_captured = _are_captured(trace, without)
    return launches, without[~is_captured], int(is_captured.sum())


def _part(trace: Trace, launches: Int64s, lost: Int64s) -> Literal["start", "end", ""]:
    """The part of the recording that was lost, where all else is whole."""
    at_ns = np.sort(trace.slices.start_ns[launches])
    first_ns, last_ns = trace.slices.start_ns[lost].min(), trace.slices.start_ns[lost].max()
    between = np.searchsorted(at_ns, last_ns, side="right") - np.searchsorted(at_ns, first_ns)
    if between > len(lost) or len(lost) == len(launches):
        return ""
    return "start" if first_ns == at_ns[0] else "end" if last_ns == at_ns[-1] else ""


def _are_captured(trace: Trace, launches: Int64s) -> npt.NDArray[np.bool_]:
    """For each launch whether its thread recorded a graph meanwhile: then it ran nothing."""
    slices = trace.slices
    begins, ends = (named(trace, name, Category.RUNTIME) for name in (_BEGIN_CAPTURE, _END_CAPTURE))
    captured = np.zeros(len(launches), np.bool_)
    for lane in distinct(slices.lane[begins]).tolist():
        begun, ended = (
            np.sort(slices.start_ns[rows[slices.lane[rows] == lane]], kind="stable")
            for rows in (begins, ends)
        )
        at = slices.start_ns[launches]
        depth = np.searchsorted(begun, at, side="right") - np.searchsorted(ended, at, side="right")
        captured |= (slices.lane[launches] == lane) & (depth > 0)
    return captured


def named(trace: Trace, pattern: re.Pattern[str], category: Category) -> Int64s:
    """Rows of `category` whose name begins with `pattern`."""
    rows = np.flatnonzero(trace.slices.category == category)
    names, which = distinct_places(trace.slices.name[rows])
    fitting = np.array([pattern.match(trace.names[name]) is not None for name in names.tolist()], bool)
    found: Int64s = rows[fitting[which]]
    return found
