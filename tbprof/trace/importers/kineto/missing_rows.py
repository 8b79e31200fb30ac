"""What the rows of a file show to be missing, as facts of the file.

Time that goes backwards between events of the host, as facts of the file.

Clocks are set back by time servers and by machines that were moved. What a count means: so many
events begin before one that must have begun before them. Real traces show none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact, HealthSeverity
from tbprof.trace.columns.arrays import (
    Int64s,
    SparseColumn,
    SparseFloats,
    distinct,
    is_among,
)
from tbprof.trace.columns.columns import Category, Slices, Trace
from tbprof.trace.columns.eras import GPU_WORK, STEP_PREFIX
from tbprof.trace.importers.kineto.lost_work import (
    ANY_LAUNCH,
    facts_of_launches,
    named,
    with_whole_steps,
)
from tbprof.trace.importers.kineto.rows import Rows

_LONGEST_NS = 86_400_000_000_000
"""A day. No window lasts that long: the profiler keeps its events in memory, and would fill it in minutes."""
_STRAY_TIMES_MOST = 0.1
"""A share of the rows. Where more are a day away, the file has two clocks, and none is known to be wrong; but
a time of 0 is none where all others are those of a calendar."""


def without_stray_rows(rows: Rows) -> tuple[Rows, dict[str, int]]:
    """`rows` without those that begin over a day from the median row or last over a day; how many there are,
    as `rows`, and how many of them are calls, as `calls`; nothing of none.

    One such row would make the window, and all that is measured against it, as long as its own error.
    """
    is_stray = _are_stray(rows.slices)
    if is_stray is None:
        return rows, {}
    calls = int((rows.slices.category[is_stray] == Category.RUNTIME).sum())
    kept = np.flatnonzero(~is_stray)
    slices = Slices(**{column.name: getattr(rows.slices, column.name)[kept] for column in fields(Slices)})
    number = np.cumsum(~is_stray, dtype=np.int32) - np.int32(1)
    args = {name: _kept_numbers(column, is_stray, number) for name, column in rows.args.items()}
    fractions = {name: _kept_fractions(column, is_stray, number) for name, column in rows.fractions.items()}
    left_out = {"rows": int(is_stray.sum()), **({"calls": calls} if calls else {})}
    return replace(rows, slices=slices, args=args, fractions=fractions), left_out


def _are_stray(slices: Slices) -> npt.NDArray[np.bool_] | None:
    """For each row whether it is; None where none is, as in nearly every file, or too many."""
    start_ns, duration_ns = slices.start_ns, slices.duration_ns
    if len(start_ns) == 0 or start_ns.max() - start_ns.min() <= _LONGEST_NS >= duration_ns.max():
        return None
    timed_ns = start_ns[start_ns != 0] if start_ns.any() else start_ns
    median_ns = np.partition(timed_ns, len(timed_ns) // 2)[len(timed_ns) // 2]
    is_zero = (start_ns == 0) & (np.abs(median_ns) > _LONGEST_NS)
    is_stray: npt.NDArray[np.bool_] = ~is_zero & (np.abs(start_ns - median_ns) > _LONGEST_NS)
    is_stray |= duration_ns > _LONGEST_NS
    if is_stray.sum() > max((~is_zero).sum() * _STRAY_TIMES_MOST, 1):
        is_stray[:] = False
    is_stray |= is_zero
    return is_stray if is_stray.any() else None


def _kept_numbers(
    column: SparseColumn, is_stray: npt.NDArray[np.bool_], number: npt.NDArray[np.int32]
) -> SparseColumn:
    has = ~is_stray[column.rows]
    return SparseColumn(number[column.rows[has]], column.values[has], column.missing)


def _kept_fractions(
    column: SparseFloats, is_stray: npt.NDArray[np.bool_], number: npt.NDArray[np.int32]
) -> SparseFloats:
    has = ~is_stray[column.rows]
    return SparseFloats(number[column.rows[has]], column.values[has])


_FEW_CALLS = 20
"""So many a profiler makes itself, and a program that calls a kernel or two without an operator."""

_LESS_SURE = ("no_gpu_rows", "gpu_not_recorded")
_VERSIONS = ("cupti", "runtime", "driver")
_HIP = re.compile(r"hip")
_STREAM_WAIT = re.compile(r"(?:cuda|hip|cu)StreamWaitEvent")
_WHOLE_GRAPH = re.compile(r"CUDA graph \d+\Z")
_WAIT_EVENT = "Stream Wait Event"


def with_missing_rows(trace: Trace) -> Trace:
    """The trace, with what to know of it where it was read whole, but is not.

    That work was launched and lost says more than that none is there, and asks for another remedy.
    """
    missing = tuple(_missing_rows(trace))
    was_lost = any(fact.code == "gpu_work_lost" for fact in missing)
    known = (fact for fact in trace.health if not (was_lost and fact.code in _LESS_SURE))
    return with_whole_steps(replace(trace, health=(*known, *missing)))


def _versions(trace: Trace) -> dict[str, int | float | str]:
    """What of CUDA the file names, as the fact that is less sure noted it."""
    noted = (fact.numbers for fact in trace.health if fact.code in _LESS_SURE)
    return {name: value for numbers in noted for name, value in numbers.items() if name in _VERSIONS}


def _missing_rows(trace: Trace) -> Iterator[HealthFact]:
    category = trace.slices.category
    on_gpu = is_among(category, GPU_WORK)
    calls = int((category == Category.RUNTIME).sum())
    if max(calls, int(on_gpu.sum())) > _FEW_CALLS and not (category == Category.CPU_OP).any():
        yield HealthFact("no_operators", "warning", {})
    if on_gpu.any():
        yield from facts_of_launches(trace)
        yield from _of_sync_events(trace)
        yield from _of_devices(trace, np.flatnonzero(on_gpu))
        yield from _of_graphs(trace, np.flatnonzero(on_gpu))
    elif len(launches := named(trace, ANY_LAUNCH, Category.RUNTIME)) and not trace.is_cut_off:
        other = {"recorder": "roctracer"} if len(named(trace, _HIP, Category.RUNTIME)) else {}
        yield HealthFact("gpu_work_lost", "warning", {"launches": len(launches), **other, **_versions(trace)})
    if len(trace.collective_name.rows) and trace.rank is None:
        yield HealthFact("rank_unknown", "info", {"collectives": len(trace.collective_name.rows)})
    yield from find_time_going_backwards(trace)


def _of_sync_events(trace: Trace) -> Iterator[HealthFact]:
    waits = named(trace, _STREAM_WAIT, Category.RUNTIME)
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


def _of_graphs(trace: Trace, gpu_rows: Int64s) -> Iterator[HealthFact]:
    """Graphs of which the GPU has one row a launch, as Nsight Systems records them unless asked for nodes."""
    whole = named(trace, _WHOLE_GRAPH, Category.KERNEL)
    if not len(whole):
        return
    length_ns = trace.slices.duration_ns
    part = int(length_ns[whole].sum()) / max(int(length_ns[gpu_rows].sum()), 1)
    severity: HealthSeverity = "warning" if part >= _MUCH else "info"
    yield HealthFact("graphs_whole", severity, {"rows": len(whole), "share": part})


_MUCH = 0.1
_MOST = 0.01
"""A share of frames: a file in which more than one and these begin early is not written in order of time."""
_STEP = re.compile(rf"{STEP_PREFIX}(\d{{1,9}})\Z")


def find_time_going_backwards(trace: Trace) -> Iterator[HealthFact]:
    """What of the host's events contradicts their order."""
    frames = np.flatnonzero(trace.slices.category == Category.PYTHON)
    early_ns = _early_ns(trace, frames)
    early_ns = early_ns[early_ns > 0]
    if 0 < len(early_ns) <= max(len(frames) * _MOST, 1):
        numbers = {"rows": len(early_ns), "of": len(frames), "worst_ns": int(early_ns.max())}
        yield HealthFact("frames_backwards", "warning", numbers)
    backwards = int((np.diff(_starts_of_steps(trace)) < 0).sum())
    if backwards:
        yield HealthFact("steps_backwards", "warning", {"steps": backwards})


def _early_ns(trace: Trace, frames: Int64s) -> Int64s:
    """How long each frame began before the one that is written before it on its thread.

    torch numbers and writes frames in the order in which they began, callers first.
    """
    lane, start_ns = trace.slices.lane[frames], trace.slices.start_ns[frames]
    if (lane[1:] < lane[:-1]).any():
        by_lane = np.argsort(lane, kind="stable")
        lane, start_ns = lane[by_lane], start_ns[by_lane]
    early_ns: Int64s = start_ns[:-1] - start_ns[1:]
    same_thread: npt.NDArray[np.bool_] = lane[1:] == lane[:-1]
    return early_ns[same_thread]


def _starts_of_steps(trace: Trace) -> Int64s:
    """The starts of steps, by number."""
    rows = np.flatnonzero(trace.slices.category == Category.USER_ANNOTATION)
    matches = [_STEP.match(trace.names[name]) for name in trace.slices.name[rows].tolist()]
    numbered = [(int(match[1]), row) for match, row in zip(matches, rows.tolist(), strict=True) if match]
    return trace.slices.start_ns[[row for _, row in sorted(numbered)]]
