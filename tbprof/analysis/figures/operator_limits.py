"""How near the device's limit each call of an operator comes.

At its limit a call takes as long as its FLOPs at the peak rate of their type, or as its bytes at the peak
rate of the memory, whichever is longer. Where no rate of the type is known, what matrix units cannot do is
bound by its bytes alone, which nearly always decide there. What takes less than that found its inputs in a
cache, and is at its limit; what takes `UNTRUE` times less had other shapes than those on record, and has no
limit. A call that no formula covers has the figures of the calls in it that are covered; what lies in a
covered call counts for that alone.

FLOPs and bytes of every call of an operator whose inputs are recorded.

A call on a tensor that several devices share (`DTensor`) records the shape of the whole. The call of the same
name in it has that of the part which this device computes, and only this counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.copy_kinds import DIRECTIONS, copy_kinds
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import outermost
from tbprof.analysis.figures.operators import Operators, add_inner, find_operators
from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.limits.devices import Peaks, find_peaks, is_slice
from tbprof.analysis.limits.formulas import FAMILY_OF, cost_of
from tbprof.analysis.limits.inputs import FAMILIES, Cost
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

FLOPS_A_NS = 1000
"""The operations per ns of one TFLOP/s."""
BYTES_A_NS = 1000
"""The bytes per ns of one TB/s."""

UNTRUE = 10
"""Times faster than the data sheet: caches explain a factor of 2 in public traces."""

_STAYS = [DIRECTIONS.index(name) for name in ("", "DtoD", "PtoP")]


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """One entry a call, with what lies in it. Times are in ns."""

    costs: Costs
    """The costs of the calls themselves; on a trace with a device only of those that worked on it."""
    peaks: Peaks | None
    """None where the device's are not known: then `limit_ns` and `above_ns` are 0 everywhere."""
    covering: Int64s
    """Position of the outermost call around it, or itself, that a formula covers, or `NONE`."""
    flops: Int64s
    bytes: Int64s
    timed_flops: Int64s
    """The operations in `covered_ns`: what goes between host and device has no limit of the device."""
    timed_bytes: Int64s
    covered_ns: Int64s
    """Device time of what is covered."""
    limit_ns: Int64s
    """What that takes at its limit."""
    above_ns: Int64s
    """What it took longer."""
    untrue: int = 0
    """How many calls have shapes that can't be those of what ran."""


def device_peaks(facts: Facts) -> Peaks | None:
    """The peaks of the busiest device; None for one that is not known, and for a slice of one.

    ROCm numbers devices otherwise than its description of them: where all have one name, that is it.
    """
    main, names = facts.work.main_device, facts.trace.device_names
    if main is None:
        return None
    alike = set(names.values())
    name = names.get(main) or (alike.pop() if len(alike) == 1 else "")
    return None if is_slice(name) else find_peaks(name)


def find_limits(facts: Facts) -> Limits:
    """The limits of all calls."""
    operators = facts.once(find_operators)
    on_device = operators.device_total_ns > 0
    costs = _costs(facts, operators, on_device)
    covers = costs.is_covered
    peaks = device_peaks(facts)
    if not covers.any():
        # Of a recording without shapes there are no others, and one column of zeros is all seven.
        nothing = np.broadcast_to(np.int64(0), len(operators))
        columns = (nothing, nothing, nothing, nothing, nothing, nothing, nothing)
        return Limits(costs, peaks, costs.kind, *columns)
    limit = _limits(costs, peaks, operators.tensor_total_ns > 0)
    computing = operators.device_total_ns - _communication_ns(facts, operators)
    is_timed = covers & (computing > 0) & ~_crosses_the_bus(facts, operators) & (limit >= 0)
    is_untrue = is_timed & (limit > UNTRUE * computing)
    is_timed &= ~is_untrue
    flops = costs.of_calls(np.array([cost.flops for cost in costs.costs], np.int64))
    moved = costs.of_calls(np.array([cost.bytes for cost in costs.costs], np.int64))
    took = computing * is_timed
    limit = limit * is_timed
    above = np.maximum(took - limit, 0) if peaks is not None else limit.copy()
    columns = (flops, moved, flops * is_timed, moved * is_timed, took, limit, above)
    inside = operators.parent != NONE
    inside[inside] = covers[operators.parent[inside]]
    add_inner(np.where(inside, NONE, operators.parent), columns)
    return Limits(costs, peaks, outermost(operators.parent, covers), *columns, int(is_untrue.sum()))


def _costs(facts: Facts, operators: Operators, on_device: npt.NDArray[np.bool_]) -> Costs:
    """The costs of the calls themselves; on a trace with a device only of those that worked on it."""
    trace, rows, parent = facts.trace, operators.rows, operators.parent
    merged = np.flatnonzero(operators.innermost != rows)
    innermost = operators.innermost[merged]
    found = find_costs(trace, np.concatenate([rows, innermost]))
    if not found.costs:
        return Costs(found.kind[: len(rows)], found.costs, found.families)
    shapes = trace.input_shapes.at(rows)
    differs = shapes[merged] != trace.input_shapes.at(innermost)
    of_parts = np.full(len(rows), NONE, np.int64)
    of_parts[merged[differs]] = found.kind[len(rows) :][differs]
    whole, part = (Costs(kind, found.costs, found.families) for kind in (found.kind[: len(rows)], of_parts))
    if facts.work.devices:
        whole, part = whole.only(on_device), part.only(on_device)
    name = trace.slices.name[rows]
    # A call that has none around it, with position -1, is compared with the last one and left out.
    is_part = (name == name[parent]) & (shapes != shapes[parent]) if len(rows) else np.zeros(0, np.bool_)
    return whole.of_parts(part, parent, is_part)


def _limits(costs: Costs, peaks: Peaks | None, on_matrix_units: npt.NDArray[np.bool_]) -> Int64s:
    """The limit of each call in ns, 0 without peaks, -1 where the device has no rate for its type."""
    if peaks is None:
        return np.zeros(len(costs.kind), np.int64)
    by_use = [
        costs.of_calls(np.array([_limit_ns(cost, peaks, used=used) for cost in costs.costs], np.int64))
        for used in (False, True)
    ]
    return np.where(on_matrix_units, by_use[1], by_use[0])


def peak_rate(cost: Cost, peaks: Peaks, *, used: bool) -> float | None:
    """TFLOP/s that a call can reach; None where the data sheet does not name its type.

    Args:
        cost: Of the call.
        peaks: Of the device.
        used: Whether the call used matrix units.
    """
    return peaks.tflops(cost.dtype, on_matrix_units=may_use_matrix_units(cost, used=used))


def may_use_matrix_units(cost: Cost, *, used: bool) -> bool:
    """A float32 product may only where the program allows it: as it did, or not."""
    return cost.on_matrix_units and (used or cost.dtype != "float32")


def _limit_ns(cost: Cost, peaks: Peaks, *, used: bool) -> int:
    rate, moving_ns = peak_rate(cost, peaks, used=used), cost.bytes / (peaks.terabytes_s * BYTES_A_NS)
    if rate is None:
        return -1 if cost.on_matrix_units else round(moving_ns)
    return round(max(cost.flops / (rate * FLOPS_A_NS), moving_ns))


def _communication_ns(facts: Facts, operators: Operators) -> Int64s:
    """The device time in each call that is no computing, whatever the call is named."""
    work = facts.work
    at = np.flatnonzero(facts.parts.is_communication & (operators.of_work != NONE))
    spent = np.zeros(len(operators), np.int64)
    np.add.at(spent, operators.of_work[at], (work.end_ns - work.start_ns)[at])
    add_inner(operators.parent, (spent,))
    return spent


def _crosses_the_bus(facts: Facts, operators: Operators) -> npt.NDArray[np.bool_]:
    """Calls that hold a copy from or to the host."""
    work = facts.work
    copies = np.flatnonzero(facts.trace.slices.category[work.rows] == Category.MEMCPY)
    direction, _ = copy_kinds(facts.trace, work, work.launch[copies], copies)
    callers = operators.of_work[copies[~is_among(direction, _STAYS)]]
    copies_within = np.zeros(len(operators), np.int64)
    copies_within[callers[callers != NONE]] = 1
    add_inner(operators.parent, (copies_within,))
    crosses: npt.NDArray[np.bool_] = copies_within > 0
    return crosses


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """`kind` has one entry a call; calls with equal names and inputs share a cost."""

    kind: Int64s
    """Index into `costs`, or `NONE` where no formula covers the call."""
    costs: tuple[Cost, ...]
    families: Int64s
    """An index into `FAMILIES` for each of `costs`."""

    @property
    def is_covered(self) -> npt.NDArray[np.bool_]:
        covered: npt.NDArray[np.bool_] = self.kind != NONE
        return covered

    def only(self, calls: npt.NDArray[np.bool_]) -> Costs:
        """The costs of some calls; one entry a call."""
        return Costs(np.where(calls, self.kind, NONE), self.costs, self.families)

    def of_parts(self, innermost: Costs, parent: Int64s, is_part: npt.NDArray[np.bool_]) -> Costs:
        """For each call what this device computes, in the innermost call that says so.

        Args:
            innermost: Of the innermost operator that is part of each call, with the same `costs`.
            parent: Position of the call around each, or `NONE`.
            is_part: Calls of the same name as the one around them, on other shapes.
        """
        is_whole = self._is_larger(self.kind, innermost.kind)
        kind = np.where(is_whole, innermost.kind, self.kind)
        inner = np.flatnonzero(is_part & (parent != NONE))
        split = inner[self._is_larger(kind[parent[inner]], kind[inner])]
        around = parent[np.concatenate([np.flatnonzero(is_whole), split])]
        while len(around := distinct(around[around != NONE])):
            kind[around] = NONE
            around = parent[around]
        return Costs(kind, self.costs, self.families)

    def _is_larger(self, one: Int64s, other: Int64s) -> npt.NDArray[np.bool_]:
        larger: npt.NDArray[np.bool_] = (one != NONE) & (other != NONE)
        moved = np.array([cost.bytes for cost in self.costs], np.int64)
        larger[larger] = moved[one[larger]] > moved[other[larger]]
        return larger

    def of_calls(self, values: Int64s) -> Int64s:
        """One value a cost to one a call, 0 where none is known."""
        found = np.zeros(len(self.kind), values.dtype)
        found[self.is_covered] = values[self.kind[self.is_covered]]
        return found


def find_costs(trace: Trace, rows: Int64s) -> Costs:
    """The costs of these rows of operators; each distinct set of inputs is parsed once."""
    has_formula = np.fromiter((name in FAMILY_OF for name in trace.names), np.bool_, len(trace.names))
    kind = np.full(len(rows), NONE, np.int64)
    at = np.flatnonzero(has_formula[trace.slices.name[rows]])
    at = at[trace.input_shapes.at(rows[at]) != NONE]
    asked = rows[at]
    columns = (trace.input_shapes, trace.input_types, trace.concrete_inputs)
    keys = np.stack([trace.slices.name[asked], *(column.at(asked) for column in columns)], axis=1)
    distinct, which = distinct_lines(keys.astype(np.int64, copy=False))
    costs, numbers, families = list[Cost](), np.full(len(distinct), NONE, np.int64), list[int]()
    for place, (name, *texts) in enumerate(distinct.tolist()):
        cost = cost_of(trace.names[name], *("" if text == NONE else trace.names[text] for text in texts))
        if cost is not None:
            numbers[place] = len(costs)
            costs.append(cost)
            families.append(FAMILIES.index(FAMILY_OF[trace.names[name]]))
    kind[at] = numbers[which]
    return Costs(kind, tuple(costs), np.array(families, np.int64))
