"""What the rows of a file show to be missing, as facts of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact, HealthSeverity
from tbprof.trace.columns.arrays import Int64s, distinct, distinct_places, find_sorted, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import GPU_WORK
from tbprof.trace.importers.kineto.clocks import find_time_going_backwards

LOST_SHARE = 0.05
"""Of the launches; with more without their work a device can't be judged. Real traces that are whole have
none."""

_LAUNCH = re.compile(r"(?:cuda|hip|cu)(?:Ext)?(?:Module)?LaunchKernel")
_FEW_CALLS = 20
"""So many a profiler makes itself, and a program that calls a kernel or two without an operator."""

_ANY_LAUNCH = re.compile(r"(?:cuda|hip|cu)(?:(?:Ext)?(?:Module)?LaunchKernel|GraphLaunch)")
_LESS_SURE = ("no_gpu_rows", "gpu_not_recorded")
_HIP = re.compile(r"hip")
_BEGIN_CAPTURE = re.compile(r"(?:cuda|hip|cu)StreamBeginCapture")
_END_CAPTURE = re.compile(r"(?:cuda|hip|cu)StreamEndCapture")
_STREAM_WAIT = re.compile(r"(?:cuda|hip|cu)StreamWaitEvent")
_WAIT_EVENT = "Stream Wait Event"


def with_missing_rows(trace: Trace) -> Trace:
    """The trace, with what to know of it where it was read whole, but is not.

    That work was launched and lost says more than that none is there, and asks for another remedy.
    """
    missing = tuple(_missing_rows(trace))
    was_lost = any(fact.code == "gpu_work_lost" for fact in missing)
    known = (fact for fact in trace.health if not (was_lost and fact.code in _LESS_SURE))
    return replace(trace, health=(*known, *missing))


def _missing_rows(trace: Trace) -> Iterator[HealthFact]:
    category = trace.slices.category
    on_gpu = is_among(category, GPU_WORK)
    calls = int((category == Category.RUNTIME).sum())
    if max(calls, int(on_gpu.sum())) > _FEW_CALLS and not (category == Category.CPU_OP).any():
        yield HealthFact("no_operators", "warning", {})
    if on_gpu.any():
        yield from _of_launches(trace, on_gpu)
        yield from _of_sync_events(trace)
        yield from _of_devices(trace, np.flatnonzero(on_gpu))
    elif len(launches := _named(trace, _ANY_LAUNCH, Category.RUNTIME)) and not trace.is_cut_off:
        other = {"recorder": "roctracer"} if len(_named(trace, _HIP, Category.RUNTIME)) else {}
        yield HealthFact("gpu_work_lost", "warning", {"launches": len(launches), **other})
    if len(trace.collective_name.rows) and trace.rank is None:
        yield HealthFact("rank_unknown", "info", {"collectives": len(trace.collective_name.rows)})
    yield from find_time_going_backwards(trace)


def _of_launches(trace: Trace, on_gpu: npt.NDArray[np.bool_]) -> Iterator[HealthFact]:
    correlation = trace.slices.correlation
    launches = _named(trace, _LAUNCH, Category.RUNTIME)
    _, ran = find_sorted(distinct(correlation[on_gpu]), correlation[launches])
    without = launches[~ran]
    captured = int(_are_captured(trace, without).sum())
    if captured:
        yield HealthFact("launches_captured", "info", {"rows": captured, "of": len(launches)})
    if len(without) > captured:
        lost = len(without) - captured
        severity: HealthSeverity = "warning" if lost >= LOST_SHARE * len(launches) else "info"
        yield HealthFact("launches_without_gpu_rows", severity, {"rows": lost, "of": len(launches)})


def _are_captured(trace: Trace, launches: Int64s) -> npt.NDArray[np.bool_]:
    """For each launch whether its thread recorded a graph meanwhile: then it ran nothing."""
    slices = trace.slices
    begins, ends = (_named(trace, name, Category.RUNTIME) for name in (_BEGIN_CAPTURE, _END_CAPTURE))
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


def _of_sync_events(trace: Trace) -> Iterator[HealthFact]:
    waits = _named(trace, _STREAM_WAIT, Category.RUNTIME)
    if len(waits) and not (trace.slices.category == Category.SYNC).any():
        yield HealthFact("sync_events_missing", "info", {"waits": len(waits)})
    kinds = [trace.names[kind] == _WAIT_EVENT for kind in trace.sync_kind.values.tolist()]
    events = trace.sync_kind.rows[np.array(kinds, bool)]
    unnamed = int((trace.awaited_stream.at(events) < 0).sum())
    if unnamed:
        yield HealthFact("sync_events_without_streams", "info", {"rows": unnamed, "of": len(events)})


def _of_devices(trace: Trace, gpu_rows: Int64s) -> Iterator[HealthFact]:
    numbers = distinct(trace.device.at(gpu_rows)).tolist()
    unknown = [number for number in numbers if not trace.device_names.get(number)]
    if unknown:
        yield HealthFact("device_names_unknown", "info", {"devices": len(unknown), "of": len(numbers)})


def _named(trace: Trace, pattern: re.Pattern[str], category: Category) -> Int64s:
    """Rows of `category` whose name begins with `pattern`."""
    rows = np.flatnonzero(trace.slices.category == category)
    names, which = distinct_places(trace.slices.name[rows])
    fitting = np.array([pattern.match(trace.names[name]) is not None for name in names.tolist()], bool)
    found: Int64s = rows[fitting[which]]
    return found
