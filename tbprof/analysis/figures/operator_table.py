"""The table of operators: what the calls of each group cost together.

What every call of an operator costs: its own host and device time, launches, waits and idle.

The host's own time of a call leaves out all that is recorded in it: operators, ranges, runtime calls,
Python frames. Its own device time is that of what no operator within it launched.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_grouping import Grouping, Groups, group_operators
from tbprof.analysis.figures.operator_limits import Limits, find_limits
from tbprof.analysis.figures.operators import (
    Operators,
    add_inner,
    find_operator_calls,
    find_operators,
    sums,
)
from tbprof.analysis.intervals import NEVER, overlap_ns
from tbprof.analysis.names import are_named
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.tensor_cores import eligible_operators, is_on_tensor_cores

_SPREAD = (0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread over the calls of one group, in ns."""

    mean_ns: float
    median_ns: float
    p90_ns: float


@dataclass(frozen=True, slots=True)
class RowLimit:
    """What the calls of one group, and those in them, computed and moved, as far as formulas cover them."""

    flops: int
    bytes: int
    """At the least: every input and every result once."""
    timed_flops: int
    """The operations in `covered_ns`."""
    timed_bytes: int
    covered_ns: int
    """Device time of what is covered, copies from and to the host apart."""
    limit_ns: int | None
    """What `covered_ns` would be at the device's limit; None for a device whose peaks are not known."""
    above_ns: int | None
    """What it was longer, call by call."""


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """One group. Device figures, waits and idle are None where the trace has no device."""

    name: str
    shapes: str | None
    """JSON as `[[2,3],[]]`, "" where not recorded; None where not asked for."""
    stack: tuple[str, ...] | None
    """Innermost frame first; None where not asked for."""
    calls: int
    host_self_ns: int
    host_total_ns: int
    """The sum over all calls by name, shapes or stack, as `key_averages()` has it: a call within another
    one of its name adds to it once more. All other figures, and this by other groupings, count it once."""
    host: Spread
    """The spread of the host time of a call with the operators in it."""
    device_self_ns: int | None
    device_total_ns: int | None
    device: Spread | None
    """The same of the device time."""
    tensor_self_ns: int | None
    tensor_total_ns: int | None
    launches: int | None
    """What it launched itself."""
    idle_ns: int | None
    wait_ns: int | None
    is_eligible: bool
    """Whether it computes what tensor cores can."""
    limit: RowLimit | None
    """None where no formula covers any of it, or no shapes are recorded."""
    share: float
    """The share of the device's time of all, or of the host's own time of all operators without a device."""
    cumulative_share: float


@dataclass(frozen=True, slots=True)
class OperatorTable:
    """Largest first: by own device time, without a device by own host time."""

    by: Grouping
    in_steps: bool
    """Whether only what belongs to a step is counted; else the whole trace."""
    device_ns: int | None
    """All kernels, copies and memsets of the scope."""
    without_operator_ns: int | None
    """The part of it that no operator launched; with the rows' own device time all of it."""
    rows: tuple[OperatorRow, ...]


def operator_table(facts: Facts, by: Grouping, *, in_steps: bool = False) -> OperatorTable:
    """The operators of the whole trace, or of its steps.

    An operator belongs to the step that holds its start, on whatever thread, and the work that it
    launched to it; work that none launched to the step that holds its launch.
    """
    operators = facts.once(find_operators)
    groups = group_operators(facts, operators, by)
    kept = np.flatnonzero(operators.step != NONE) if in_steps else np.arange(len(operators))
    limits = facts.once(find_limits)
    figures = _figures(facts, operators, limits, groups, kept)
    if not facts.work.devices:
        return OperatorTable(by, in_steps, None, None, _rows(groups, figures, None))
    device, without = device_times(facts, operators, in_steps=in_steps)
    return OperatorTable(by, in_steps, device, without, _rows(groups, figures, device))


def device_times(facts: Facts, operators: Operators, *, in_steps: bool) -> tuple[int, int]:
    """The time of all kernels, copies and memsets of the scope, and of those that no operator launched, in
    ns.
    """
    work, call = facts.work, operators.of_work
    length, alone, called = work.end_ns - work.start_ns, call == NONE, call != NONE
    if in_steps:
        alone &= (work.launch != NONE) & (facts.steps.index_of(work.launch_start_ns) != NONE)
        called[called] = operators.step[call[called]] != NONE
    without = int(length[alone].sum())
    return without + int(length[called].sum()), without


@dataclass(frozen=True, slots=True, eq=False)
class _Figures:
    """One entry a group that has a call, whose codes ascend."""

    codes: Int64s
    calls: Int64s
    sums: dict[str, Int64s]
    has_peaks: bool
    host: npt.NDArray[np.float64]
    """Mean, median and p90 of each."""
    device: npt.NDArray[np.float64]


_OF_ALL = ("host_self_ns", "device_self_ns", "tensor_self_ns", "launches", "is_eligible")
_OF_OUTER = ("device_total_ns", "tensor_total_ns", "idle_ns", "wait_ns")
"""What holds that of inner calls, too, and counts once where a call lies in another one of its group."""
_OF_LIMITS = ("flops", "bytes", "timed_flops", "timed_bytes", "covered_ns", "limit_ns", "above_ns")
"""Names of the same fields of the limits."""


def _figures(facts: Facts, operators: Operators, limits: Limits, groups: Groups, kept: Int64s) -> _Figures:
    figures = find_operator_figures(facts)
    codes, at, calls = np.unique(groups.code[kept], return_inverse=True, return_counts=True)
    outer = ~operators.is_inside_its_like(groups.code)[kept]
    of_outer = _OF_OUTER if groups.is_of_one_operator else (*_OF_OUTER, "host_total_ns")
    sums = {}
    for name in (*_OF_ALL, *_OF_OUTER, "host_total_ns", *_OF_LIMITS):
        values = getattr(limits if name in _OF_LIMITS else figures, name)[kept].astype(np.int64)
        sums[name] = np.zeros(len(codes), np.int64)
        np.add.at(sums[name], at, values * outer if name in (*of_outer, *_OF_LIMITS) else values)
    return _Figures(
        codes,
        calls,
        sums,
        limits.peaks is not None,
        _spread(at, calls, figures.host_total_ns[kept]),
        _spread(at, calls, figures.device_total_ns[kept]),
    )


def _spread(at: Int64s, calls: Int64s, values: Int64s) -> npt.NDArray[np.float64]:
    """The mean and the quantiles of each group, which lie between two calls as numpy's do."""
    values = values[np.lexsort((values, at))]
    first = np.cumsum(calls) - calls
    found = [np.bincount(np.repeat(np.arange(len(calls)), calls), values, len(calls)) / calls]
    for quantile in _SPREAD:
        place = (calls - 1) * quantile
        low = np.floor(place).astype(np.int64)
        high = np.minimum(low + 1, calls - 1)
        below, above = values[first + low], values[first + high]
        found.append(below + (above - below) * (place - low))
    return np.stack(found, axis=1)


def _rows(groups: Groups, figures: _Figures, device_ns: int | None) -> tuple[OperatorRow, ...]:
    ranked = figures.sums["host_self_ns" if device_ns is None else "device_self_ns"]
    whole = int(ranked.sum()) if device_ns is None else device_ns
    order = np.lexsort((figures.codes, -figures.sums["host_self_ns"], -ranked))
    reached = np.cumsum(ranked[order]) / max(whole, 1)
    return tuple(
        _row(groups, figures, at, device_ns is not None, int(ranked[at]) / max(whole, 1), share)
        for at, share in zip(order.tolist(), reached.tolist(), strict=True)
    )


def _row(
    groups: Groups, figures: _Figures, at: int, has_device: bool, share: float, reached: float
) -> OperatorRow:
    code = int(figures.codes[at])
    sums = {name: int(values[at]) for name, values in figures.sums.items()}
    known = {name: value if has_device else None for name, value in sums.items()}
    return OperatorRow(
        name=groups.names[code],
        shapes=None if groups.shapes is None else groups.shapes[code],
        stack=None if groups.stacks is None else groups.stacks[code],
        calls=int(figures.calls[at]),
        host_self_ns=sums["host_self_ns"],
        host_total_ns=sums["host_total_ns"],
        host=Spread(*figures.host[at].tolist()),
        device_self_ns=known["device_self_ns"],
        device_total_ns=known["device_total_ns"],
        device=Spread(*figures.device[at].tolist()) if has_device else None,
        tensor_self_ns=known["tensor_self_ns"],
        tensor_total_ns=known["tensor_total_ns"],
        launches=known["launches"],
        idle_ns=known["idle_ns"],
        wait_ns=known["wait_ns"],
        is_eligible=sums["is_eligible"] > 0,
        limit=_limit(sums, has_peaks=figures.has_peaks),
        share=share,
        cumulative_share=reached,
    )


def _limit(sums: dict[str, int], *, has_peaks: bool) -> RowLimit | None:
    if not sums["bytes"]:
        return None
    has_limit = has_peaks and sums["covered_ns"] > 0
    return RowLimit(
        **{name: sums[name] for name in _OF_LIMITS if name not in ("limit_ns", "above_ns")},
        limit_ns=sums["limit_ns"] if has_limit else None,
        above_ns=sums["above_ns"] if has_limit else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class OperatorFigures:
    """One entry a call of `Operators`. Times are in ns."""

    host_self_ns: Int64s
    host_total_ns: Int64s
    device_self_ns: Int64s
    device_total_ns: Int64s
    tensor_self_ns: Int64s
    """The part of the device time in kernels that use tensor cores."""
    tensor_total_ns: Int64s
    launches: Int64s
    """Runtime calls directly in it that launched work."""
    wait_ns: Int64s
    """In sync points within it."""
    idle_ns: Int64s
    """Idle of the busiest device in the steps, while the host was in it."""
    is_eligible: npt.NDArray[np.bool_]
    """Whether it, or an operator in it, computes what tensor cores can, or was seen to use them."""


def find_operator_figures(facts: Facts) -> OperatorFigures:
    """The figures of all calls of the window."""
    slices, work, operators = facts.trace.slices, facts.work, facts.once(find_operators)
    calls, rows = find_operator_calls(facts.trace), operators.rows
    is_op, of_row = calls.tree.is_op(), calls.of_rows(len(slices))
    launching = of_row[work.launches]
    length = work.end_ns - work.start_ns
    tensor = sums(
        len(rows), operators.of_work, length * are_named(facts.trace, work.rows, is_on_tensor_cores)
    )
    episodes = facts.episodes
    waits = episodes.blocking
    wait = sums(len(rows), of_row[facts.calls.rows[episodes.first[waits]]], episodes.wait_ns[waits])
    is_able = eligible_operators(facts.trace.names)[slices.name[rows]] | (tensor > 0)
    eligible = is_able.astype(np.int64)
    add_inner(operators.parent, (wait, eligible))
    main = work.main_device
    idle = NEVER if main is None else facts.idle.gaps[main]
    return OperatorFigures(
        host_self_ns=sums(len(rows), calls.call[is_op], calls.tree.own_ns(slices)[is_op]),
        host_total_ns=slices.duration_ns[rows],
        device_self_ns=sums(len(rows), operators.of_work, length),
        device_total_ns=operators.device_total_ns,
        tensor_self_ns=tensor,
        tensor_total_ns=operators.tensor_total_ns,
        launches=np.bincount(launching[launching != NONE], minlength=len(rows)),
        wait_ns=wait,
        idle_ns=overlap_ns(idle, slices.start_ns[rows], slices.end_of(rows)),
        is_eligible=eligible > 0,
    )
