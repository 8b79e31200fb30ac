"""What becomes of each row in the classic dialect, before anything is written.

The plugin joins a call to its operator by `External id` and a kernel to its call by
`correlation`. Files since 2022 leave the first away or fill it with something else. So
each operator gets an id of its own, a call that of the operator around it, a row of a
device that of its call. What was launched outside every operator gets one that says so:
else the plugin shows its time nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, lookup
from tbprof.trace.columns.columns import Category, Slices, Trace
from tbprof.trace.columns.eras import GPU_WORK
from tbprof.trace.export.classic_collectives import classic_name
from tbprof.trace.export.classic_nesting import Nesting, nest
from tbprof.trace.export.classic_roles import RowRoles, roles_of

NO_OPERATOR = "[no operator] "
NOT_RECORDED = "[launch not recorded]"
_OF_COLLECTIVES = ("c10d::", "nccl:")
_OF_NO_OP = 0
"""The `External id` of a call that belongs to no operator."""


@dataclass(frozen=True, slots=True)
class AddedOp:
    """An operator that is in the copy only."""

    name: str
    lane: int
    """`NONE`: a thread of its own."""
    start_ns: int
    end_ns: int
    external_id: int
    collective: int = NONE
    """The kernel that it stands for, a row number."""
    correlation: int = NONE
    """The correlation of a call of no length that is added with it and launches what the operator stands
    for."""


@dataclass(frozen=True, slots=True, eq=False)
class RewritePlan:
    """One entry for each row of the trace, and the operators that are added."""

    nesting: Nesting
    omitted: npt.NDArray[np.bool_]
    external_id: Int64s
    """The ids of operators, calls and rows of devices."""
    correlation: Int64s
    """The correlations of calls that launched something and of what they launched; `NONE`: leave it out."""
    added: tuple[AddedOp, ...]


def plan_of(trace: Trace) -> RewritePlan:
    """Decide for every row."""
    roles = roles_of(trace)
    return _Planning(trace, roles, nest(trace.slices, roles.role)).plan()


class _Planning:
    def __init__(self, trace: Trace, roles: RowRoles, nesting: Nesting) -> None:
        self._trace = trace
        self._slices = trace.slices
        self._roles = roles
        self._nesting = nesting
        self._launch = launches(trace.slices)
        self._devices = device_rows(trace.slices)
        self._external = np.arange(1, len(trace.slices) + 1, dtype=np.int64)
        self._correlation = np.full(len(trace.slices), NONE, np.int64)
        self._next_correlation = int(trace.slices.correlation.max()) + 1
        self._added: list[AddedOp] = []

    def plan(self) -> RewritePlan:
        ordinary = self._devices[~is_among(self._devices, self._roles.collectives)]
        has_launch = self._launch[ordinary] != NONE
        launched = ordinary[has_launch]
        launching = distinct(self._launch[launched])
        self._add_collectives()
        self._add_unlaunched(ordinary[~has_launch])
        self._join_calls(self._add_for_calls(launching))
        self._external[launched] = self._external[self._launch[launched]]
        for rows in (launching, launched):
            self._correlation[rows] = self._slices.correlation[rows]
        return RewritePlan(
            nesting=self._nesting,
            omitted=self._roles.omitted,
            external_id=self._external,
            correlation=self._correlation,
            added=tuple(self._added),
        )

    def _add_collectives(self) -> None:
        """A mark of no length for each: with a host range the plugin counts that as communication."""
        for kernel in self._roles.collectives.tolist():
            call = int(self._launch[kernel])
            name = classic_name(self._name(kernel), *self._names_around(call))
            self._add_mark(name, np.array([kernel]), call, collective=kernel)

    def _add_unlaunched(self, rows: Int64s) -> None:
        if len(rows):
            self._add_mark(NOT_RECORDED, rows, NONE)

    def _add_for_calls(self, launching: Int64s) -> dict[int, int]:
        """An operator around each launch that no listed one is around; its id, by the call."""
        own_op: dict[int, int] = {}
        for call in launching.tolist():
            if not self._roles.is_listed_op(int(self._nesting.around[call])):
                end_ns = int(self._nesting.end_ns[call])
                own_op[call] = self._add(NO_OPERATOR + self._name(call), call, end_ns).external_id
        return own_op

    def _add_mark(self, name: str, rows: Int64s, call: int, *, collective: int = NONE) -> None:
        """An operator of no length, with a call of its own that launches `rows`."""
        correlation = self._next_correlation
        self._next_correlation += 1
        end_ns = self._before_all_ns() if call == NONE else int(self._slices.start_ns[call])
        op = self._add(name, call, end_ns, collective=collective, correlation=correlation)
        self._external[rows] = op.external_id
        self._correlation[rows] = correlation

    def _add(
        self, name: str, call: int, end_ns: int, *, collective: int = NONE, correlation: int = NONE
    ) -> AddedOp:
        """Add an operator from the start of a call; without a call it has no length."""
        is_called = call != NONE
        op = AddedOp(
            name=name,
            lane=int(self._slices.lane[call]) if is_called else NONE,
            start_ns=int(self._slices.start_ns[call]) if is_called else end_ns,
            end_ns=end_ns,
            external_id=len(self._slices) + len(self._added) + 1,
            collective=collective,
            correlation=correlation,
        )
        if is_called and self._nesting.around[call] != NONE:
            self._nesting.inside[self._nesting.around[call]] += 1
        self._added.append(op)
        return op

    def _before_all_ns(self) -> int:
        """Where the plugin takes a launch to have been before the first step."""
        return int(self._slices.start_ns.min()) // 1000 * 1000 - 1000

    def _join_calls(self, own_op: dict[int, int]) -> None:
        calls = self._roles.calls
        around = self._nesting.around[calls]
        joins = self._roles.takes_calls(around) & ~self._nesting.in_call[calls]
        self._external[calls] = _OF_NO_OP
        self._external[calls[joins]] = self._merged_into()[around[joins]] + 1
        for call, op in own_op.items():
            self._external[call] = op

    def _merged_into(self) -> Int64s:
        """For each row itself, or the child of its name that the plugin merges it with.

        Of an operator whose only child has its name the plugin keeps the child's calls only.
        """
        into = np.arange(len(self._slices), dtype=np.int64)
        children = self._roles.operators
        parents = self._nesting.around[children]
        children, parents = children[parents != NONE], parents[parents != NONE]
        same = self._slices.name[children] == self._slices.name[parents]
        only = self._nesting.inside[parents] == 1
        merged = same & only & self._roles.takes_calls(parents)
        into[parents[merged]] = children[merged]
        while not np.array_equal(further := into[into], into):
            into = further
        return into

    def _names_around(self, call: int) -> Iterator[str]:
        """The operators around a call, innermost first: one of them is the collective's."""
        row = NONE if call == NONE else int(self._nesting.around[call])
        while row != NONE:
            if self._name(row).startswith(_OF_COLLECTIVES):
                yield self._name(row)
            row = int(self._nesting.around[row])

    def _name(self, row: int) -> str:
        return self._trace.names[int(self._slices.name[row])]


def device_rows(slices: Slices) -> Int64s:
    """The kernels, copies and memsets, as row numbers."""
    return np.flatnonzero(is_among(slices.category, GPU_WORK)).astype(np.int64)


def launches(slices: Slices) -> Int64s:
    """For each row of a device the call that launched it, a row number; `NONE` for all others."""
    calls = np.flatnonzero((slices.category == Category.RUNTIME) & (slices.correlation >= 0))
    rows = device_rows(slices)
    launch = np.full(len(slices), NONE, np.int64)
    launch[rows] = lookup(slices.correlation[calls], calls, slices.correlation[rows])
    return launch
