"""Launches and work of the GPU that do not find each other: joined by their order where it tells enough; else
the steps that lack work are left out, where others are whole, or what comes before a tail that is lost is
kept, and what comes after a start.

Some profilers give several kernels one correlation, or those of communication none: all rows are in the
file, as many without a launch as there are launches without work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact, HealthSeverity
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, find_sorted, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import GPU_WORK, STEP_PREFIX

LOST_SHARE = 0.05
"""The share of the launches; with more without their work a device can't be judged. Real traces that are
whole have none."""

LAUNCH = re.compile(r"(?:cuda|hip|cu)(?:Ext)?(?:Module)?LaunchKernel")
ANY_LAUNCH = re.compile(rf"{LAUNCH.pattern}|(?:cuda|hip|cu)GraphLaunch")
_FEWEST_JOINED = 4
"""Fewer may be as many by chance."""
_FEWEST_STEPS = 2
_MOST = 0.5
_FEW = 20
"""So many kernels may be shorter than what a file of whole microseconds tells apart, and tell little."""
_LEAST = 0.25
"""The share of the launches: a part with fewer is no picture of the recording."""
_TRIFLE = 0.03
"""The share of the time by which the idle of the device may be wrong."""
_BEGIN_CAPTURE = re.compile(r"(?:cuda|hip|cu)StreamBeginCapture")
_END_CAPTURE = re.compile(r"(?:cuda|hip|cu)StreamEndCapture")
_STEP = re.compile(rf"{STEP_PREFIX}\d")


def with_work_joined(trace: Trace) -> Trace:
    """The trace, with each row of the GPU that has no launch of its own given one of those without a row."""
    launches, without, _ = _launches(trace)
    if len(without) < _FEWEST_JOINED:
        return trace
    rows = np.flatnonzero(trace.slices.category == Category.KERNEL)
    start_ns, correlation = trace.slices.start_ns, trace.slices.correlation
    rows = rows[np.argsort(start_ns[rows], kind="stable")]
    launched: Int64s = np.sort(correlation[launches])
    _, has_launch = find_sorted(launched, correlation[rows])
    _, first = np.unique(correlation[rows], return_index=True)
    is_first = np.zeros(len(rows), bool)
    is_first[first] = True
    spare = rows[(has_launch & ~is_first) | (correlation[rows] <= 0)]
    without = without[np.argsort(start_ns[without], kind="stable")]
    if len(spare) != len(without) or (start_ns[spare] < start_ns[without]).any():
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
    kernels = trace.slices.category == Category.KERNEL
    without_length = int((trace.slices.duration_ns[kernels] == 0).sum())
    if without_length > max(_MOST * int(kernels.sum()), _FEW):
        counts = {"rows": without_length, "of": len(launches)}
        yield HealthFact("launches_without_gpu_rows", "warning", {**counts, "part": "length"})
        return
    timeless = _timeless_calls(trace)
    rows, of = len(lost) + timeless, len(launches) + timeless
    if rows:
        loss = Loss("time", ()) if _timeless_rows(trace) >= rows else _loss(trace, launches, lost)
        of_device = rows + _launches_of(trace, launches, loss.devices) if loss.devices else of
        is_much = rows >= LOST_SHARE * of_device
        is_much &= timeless > 0 or not _are_trifles(trace, launches, len(lost))
        severity: HealthSeverity = "warning" if is_much else "info"
        yield HealthFact("launches_without_gpu_rows", severity, {"rows": rows, "of": of, **loss.numbers()})


@dataclass(frozen=True, slots=True)
class Loss:
    """What is known of launches without work."""

    part: Literal["start", "end", "time", ""]
    """The part of the recording that was lost, where all else is whole; `time` of rows that have none."""
    devices: tuple[int, ...]
    """The devices that lack the end."""

    def numbers(self) -> dict[str, int | float | str]:
        """For a fact; a device is named where it is the only one."""
        named_device = {"device": self.devices[0]} if len(self.devices) == 1 else {}
        return {**({"part": self.part} if self.part else {}), **named_device}


def _are_trifles(trace: Trace, launches: Int64s, lost: int) -> bool:
    """Whether so many kernels, twice as long as those on record, would hardly make the device less idle."""
    slices = trace.slices
    kernels = np.flatnonzero(slices.category == Category.KERNEL)
    if not len(kernels):
        return False
    rows = np.concatenate([launches, kernels])
    span_ns = int(slices.end_of(rows).max() - slices.start_ns[rows].min())
    return 2 * lost * float(slices.duration_ns[kernels].mean()) <= _TRIFLE * span_ns


def _timeless_calls(trace: Trace) -> int:
    """Calls that have no time: nobody knows where in the window their work was."""
    strays = (fact.numbers for fact in trace.health if fact.code == "stray_times")
    return sum(int(numbers.get("calls", 0)) for numbers in strays)


def _timeless_rows(trace: Trace) -> int:
    strays = (fact.numbers for fact in trace.health if fact.code == "stray_times")
    return sum(int(numbers["rows"]) for numbers in strays)


def with_whole_steps(trace: Trace) -> Trace:
    """The trace, without the marks of steps that lack work where much is lost and other steps are whole.

    The most steps in a row are kept. A few launches that lie outside of all steps are no matter. Without two
    whole steps it is one window, up to a tail that was lost or from a start on.
    """
    fact = next((fact for fact in trace.health if fact.code == "launches_without_gpu_rows"), None)
    if fact is None or fact.severity != "warning" or _timeless_calls(trace):
        return trace
    if fact.numbers.get("part") == "length":
        return trace
    marks, kept, lost = _whole_steps(trace)
    if kept.sum() < _FEWEST_STEPS:
        return _with_whole_part(trace, fact, marks)
    category, name = trace.slices.category.copy(), trace.slices.name
    category[marks[~kept]] = Category.OTHER
    left_out = np.isin(name, name[marks[~kept]]) & ~np.isin(name, name[marks[kept]])
    category[left_out & (category == Category.GPU_ANNOTATION)] = Category.OTHER
    where = dict(fact.numbers) if fact.numbers.get("part") == "end" else {}
    where.pop("rows", None)
    numbers = {**where, "steps": int((~kept).sum()), "of": len(kept), "launches": int(lost[~kept].sum())}
    left_out_fact = HealthFact("steps_left_out", "warning", numbers)
    whole = replace(trace, slices=replace(trace.slices, category=category))
    return _with_fact(whole, fact, replace(fact, severity="info") if kept.all() else left_out_fact)


def _with_whole_part(trace: Trace, fact: HealthFact, marks: Int64s) -> Trace:
    """The trace as a window of what is whole; as it is where that is little, or nothing.

    Devices that worked on after another's tail was lost are kept up to there only.
    """
    if fact.numbers.get("part", "time") == "time":
        return trace
    launches, lost, _ = _launches(trace)
    cut = _cut_devices(trace, launches, lost)
    slices = trace.slices
    category = slices.category.copy()
    if cut:
        rows = np.flatnonzero(is_among(category, GPU_WORK))
        device, ends_ns = trace.device.at(rows), slices.end_of(rows)
        end_ns = min(int(ends_ns[device == one].max()) for one in cut)
        category[rows[slices.start_ns[rows] >= end_ns]] = Category.OTHER
    if (category == Category.KERNEL).sum() < max(_FEW, _LEAST * len(launches)):
        is_little = len(lost) < LOST_SHARE * len(launches)
        return _with_fact(trace, fact, replace(fact, severity="info")) if is_little else trace
    category[marks] = Category.OTHER
    of_steps = np.isin(slices.name, slices.name[marks])
    category[of_steps & (category == Category.GPU_ANNOTATION)] = Category.OTHER
    whole = replace(trace, slices=replace(slices, category=category))
    return _with_fact(whole, fact, HealthFact("part_left_out", "warning", dict(fact.numbers)))


def _with_fact(trace: Trace, known: HealthFact, fact: HealthFact) -> Trace:
    """The trace with `fact` in place of one that it has."""
    return replace(trace, health=(*(other for other in trace.health if other is not known), fact))


def _whole_steps(trace: Trace) -> tuple[Int64s, npt.NDArray[np.bool_], Int64s]:
    """The rows that mark steps, in their order, which of them to keep, and how much work each lacks."""
    slices = trace.slices
    marks = named(trace, _STEP, Category.USER_ANNOTATION)
    marks = marks[np.argsort(slices.start_ns[marks], kind="stable")]
    _, without, _ = _launches(trace)
    starts_ns, ends_ns = slices.start_ns[marks], (slices.start_ns + slices.duration_ns)[marks]

    def inside(rows: Int64s) -> Int64s:
        at_ns = np.sort(slices.start_ns[rows])
        counted: Int64s = np.searchsorted(at_ns, ends_ns) - np.searchsorted(at_ns, starts_ns)
        return counted

    lost = inside(without)
    whole = (lost == 0) & (inside(named(trace, ANY_LAUNCH, Category.RUNTIME)) > 0)
    kept, best = np.zeros(len(marks), bool), 0
    run = 0
    for at, is_whole in enumerate(whole.tolist()):
        run = run + 1 if is_whole else 0
        if run > best:
            best = run
            kept[:] = False
            kept[at - run + 1 : at + 1] = True
    return marks, kept, lost


def _launches(trace: Trace) -> tuple[Int64s, Int64s, int]:
    """Launches of kernels, those of them whose work was lost, and how many others recorded a graph."""
    on_gpu = is_among(trace.slices.category, GPU_WORK)
    launches = named(trace, LAUNCH, Category.RUNTIME)
    _, ran = find_sorted(distinct(trace.slices.correlation[on_gpu]), trace.slices.correlation[launches])
    without = launches[~ran]
    is_captured = _are_captured(trace, without)
    return launches, without[~is_captured], int(is_captured.sum())


def _loss(trace: Trace, launches: Int64s, lost: Int64s) -> Loss:
    """The part that was lost, and of what devices."""
    if devices := _cut_devices(trace, launches, lost):
        return Loss("end", devices)
    at_ns = np.sort(trace.slices.start_ns[launches])
    first_ns, last_ns = trace.slices.start_ns[lost].min(), trace.slices.start_ns[lost].max()
    between = np.searchsorted(at_ns, last_ns, side="right") - np.searchsorted(at_ns, first_ns)
    if between > len(lost) or len(lost) == len(launches) or first_ns != at_ns[0]:
        return Loss("", ())
    return Loss("start", ())


def _cut_devices(trace: Trace, launches: Int64s, lost: Int64s) -> tuple[int, ...]:
    """The devices whose work is there up to some launch, and lost from there on; none where others are, too.

    A profiler that stops waits for the current device only. No call names its device: a lost one is of a
    device that its thread launched on before, and on which nothing that was launched later is on record.
    """
    slices = trace.slices
    device = _device_of(trace, launches)
    start_ns, lane = slices.start_ns[launches], slices.lane[launches]
    cut: set[int] = set()
    for of_lane in distinct(slices.lane[lost]).tolist():
        first_ns = slices.start_ns[lost[slices.lane[lost] == of_lane]].min()
        here = device[(lane == of_lane) & (device != NONE)]
        known = distinct(here if len(here) else device[device != NONE])
        quiet = np.setdiff1d(known, device[start_ns >= first_ns])
        if not len(quiet):
            return ()
        cut.update(quiet.tolist())
    return tuple(sorted(cut))


def _device_of(trace: Trace, launches: Int64s) -> Int64s:
    """The device that the work of each launch ran on; `NONE` where there is no work."""
    on_gpu = np.flatnonzero(is_among(trace.slices.category, GPU_WORK))
    on_gpu = on_gpu[np.argsort(trace.slices.correlation[on_gpu], kind="stable")]
    found, ran = find_sorted(trace.slices.correlation[on_gpu], trace.slices.correlation[launches])
    device: Int64s = np.where(ran, trace.device.at(on_gpu[found]), NONE)
    return device


def _launches_of(trace: Trace, launches: Int64s, devices: tuple[int, ...]) -> int:
    return int(np.isin(_device_of(trace, launches), devices).sum())


def _are_captured(trace: Trace, launches: Int64s) -> npt.NDArray[np.bool_]:
    """For each launch whether some thread recorded a graph meanwhile: then it ran nothing.

    A thread that ends a recording before it begins one had begun it ahead of the window. Autograd's thread
    launches what another one records.
    """
    slices = trace.slices
    begins, ends = (named(trace, name, Category.RUNTIME) for name in (_BEGIN_CAPTURE, _END_CAPTURE))
    captured = np.zeros(len(launches), np.bool_)
    at_ns = slices.start_ns[launches]
    for lane in distinct(slices.lane[np.concatenate([begins, ends])]).tolist():
        begun, ended = (
            np.sort(slices.start_ns[rows[slices.lane[rows] == lane]], kind="stable")
            for rows in (begins, ends)
        )
        before = int(len(ended) > 0 and (len(begun) == 0 or ended[0] < begun[0]))
        depth = np.searchsorted(begun, at_ns, side="right") - np.searchsorted(ended, at_ns, side="right")
        captured |= depth + before > 0
    return captured


def named(trace: Trace, pattern: re.Pattern[str], category: Category) -> Int64s:
    """Rows of `category` whose name begins with `pattern`."""
    rows = np.flatnonzero(trace.slices.category == category)
    names, which = distinct_places(trace.slices.name[rows])
    fitting = np.array([pattern.match(trace.names[name]) is not None for name in names.tolist()], bool)
    found: Int64s = rows[fitting[which]]
    return found
