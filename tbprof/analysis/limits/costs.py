"""FLOPs and bytes of every call of an operator whose inputs are recorded.

A call on a tensor that several devices share (`DTensor`) records the shape of the whole. The call of the same
name in it has that of the part which this device computes, and only this counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.limits.formulas.cost import FAMILIES, Cost
from tbprof.analysis.limits.formulas.formulas import FAMILY_OF, cost_of
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """`kind` has one entry a call; calls with equal names and inputs share a cost."""

    kind: Int64s
    """Index into `costs`, or `NONE` where no formula covers the call."""
    costs: tuple[Cost, ...]
    families: Int64s
    """Of each of `costs`, an index into `FAMILIES`."""

    @property
    def is_covered(self) -> npt.NDArray[np.bool_]:
        covered: npt.NDArray[np.bool_] = self.kind != NONE
        return covered

    def only(self, calls: npt.NDArray[np.bool_]) -> Costs:
        """Those of some calls; one entry a call."""
        return Costs(np.where(calls, self.kind, NONE), self.costs, self.families)

    def of_parts(self, innermost: Costs, parent: Int64s, is_part: npt.NDArray[np.bool_]) -> Costs:
        """Of each call what this device computes, in the innermost call that says so.

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
    """Of these rows of operators; each distinct set of inputs is parsed once."""
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
