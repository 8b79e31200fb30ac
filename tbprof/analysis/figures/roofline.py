"""Calls that formulas cover, by operator and inputs: what they reach beside what the device could do."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_limits import Limits, find_limits, may_use_matrix_units, peak_rate
from tbprof.analysis.figures.operator_table import device_times
from tbprof.analysis.figures.operators import find_operators
from tbprof.analysis.limits.devices import Peaks
from tbprof.analysis.limits.inputs import FAMILIES, Family
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE


@dataclass(frozen=True, slots=True)
class Point:
    """The calls of one operator with equal inputs that all used matrix units, or all did not."""

    name: str
    shapes: str
    """JSON."""
    row: int
    """The row of the first call in the trace."""
    family: Family
    dtype: str
    on_matrix_units: bool
    """Whether its limit is that of matrix units."""
    calls: int
    device_ns: int
    flops: int
    """The operations of all calls, as the next field."""
    bytes: int
    peak_tflops: float | None
    """None where the device's peaks, or its rate of the type, are not known."""
    limit_ns: int | None
    above_limit_ns: int | None


@dataclass(frozen=True, slots=True)
class Roofline:
    peaks: Peaks | None
    device_ns: int
    """The time of all kernels, copies and memsets of the scope."""
    covered_ns: int
    """The time of the points together."""
    points: tuple[Point, ...]
    """Most time first."""


def find_roofline(facts: Facts, *, in_steps: bool) -> Roofline:
    """The roofline of the whole trace, or of what began in its steps; calls inside a covered call are part of
    that.
    """
    operators = facts.once(find_operators)
    limits = facts.once(find_limits)
    is_mine = (limits.covering == np.arange(len(operators))) & (limits.covered_ns > 0)
    if in_steps:
        is_mine &= operators.step != NONE
    calls = np.flatnonzero(is_mine)
    keys = np.stack([limits.costs.kind[calls], operators.tensor_total_ns[calls] > 0])
    distinct, first, at = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    columns = (
        *(limits.covered_ns, limits.timed_flops, limits.timed_bytes, limits.limit_ns, limits.above_ns),
        np.ones(len(operators), np.int64),
    )
    sums = np.zeros((len(first), len(columns)), np.int64)
    np.add.at(sums, at.reshape(len(calls)), np.stack(columns, axis=1)[calls])
    rows = operators.rows[calls[first]].tolist()
    points = [
        _point(facts, limits, kind, row, tuple(figures), used=bool(used))
        for (kind, used), row, figures in zip(distinct.T.tolist(), rows, sums.tolist(), strict=True)
    ]
    points.sort(key=lambda point: -point.device_ns)
    device_ns, _ = device_times(facts, operators, in_steps=in_steps)
    return Roofline(limits.peaks, device_ns, sum(one.device_ns for one in points), tuple(points))


def _point(
    facts: Facts, limits: Limits, kind: int, row: int, figures: tuple[int, ...], *, used: bool
) -> Point:
    trace, peaks, cost = facts.trace, limits.peaks, limits.costs.costs[kind]
    device_ns, flops, moved, limit_ns, above_ns, calls = figures
    peak = None if peaks is None else peak_rate(cost, peaks, used=used)
    is_bound = peaks is not None and (peak is not None or not cost.on_matrix_units)
    return Point(
        name=trace.names[trace.slices.name[row]],
        shapes=trace.names[int(trace.input_shapes.at(np.array([row]))[0])],
        row=row,
        family=FAMILIES[limits.costs.families[kind]],
        dtype=cost.dtype,
        on_matrix_units=may_use_matrix_units(cost, used=used),
        calls=calls,
        device_ns=device_ns,
        flops=flops,
        bytes=moved,
        peak_tflops=peak,
        limit_ns=limit_ns if is_bound else None,
        above_limit_ns=above_ns if is_bound else None,
    )
