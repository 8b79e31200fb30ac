"""What the host was in while a device was idle: label, else user function, else outermost op.

A long pause is named by the innermost code that the host was in for the middle half of it: a function
that runs for a moment in the middle says nothing of the rest.

What torch.compile generated is named after a hash that stands nowhere in the program: it goes by the label
or function around it.
"""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.nesting import Nest
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import STEP_PREFIX

GENERATED = "torch.compile: "
"""Begins the name of generated code; what is around it follows."""

_GENERATED = re.compile(r"## Call CompiledFxGraph")


class HostPlaces:
    """The named code of the training lanes. A label is any `record_function` range but that of a step."""

    def __init__(
        self, trace: Trace, ops: Nest, frames: Nest, lanes: tuple[int, ...], step_lanes: tuple[int, ...]
    ) -> None:
        """Take what all of them know.

        Args:
            trace: Whose code it is.
            ops: Those of all lanes.
            frames: The user's, of all lanes.
            lanes: Those of the training.
            step_lanes: Those with steps.
        """
        self._trace = trace
        self._lanes = _steps_first(trace, lanes, step_lanes)
        slices = trace.slices
        on_lanes = is_among(slices.lane, lanes)
        ranges = np.flatnonzero((slices.category == Category.USER_ANNOTATION) & on_lanes)
        is_step = np.array([name.startswith(STEP_PREFIX) for name in trace.names], np.bool_)
        generated = np.array([_GENERATED.match(name) is not None for name in trace.names], np.bool_)
        labels = ranges[~is_step[slices.name[ranges]]]
        functions = frames.on(slices, lanes)
        self._generated = generated
        self._innermost = (Nest.of(slices, labels), functions)
        self._written = (Nest.of(slices, labels[~generated[slices.name[labels]]]), functions)
        self._ops = ops

    def names(self, start_ns: Int64s, end_ns: Int64s) -> list[str]:
        """The name of what any lane was in, one for each pause; "" where none was."""
        rows = np.full(len(start_ns), NONE, np.int64)
        quarter, middle = (end_ns - start_ns) // 4, (start_ns + end_ns) // 2
        for begin, end in ((start_ns + quarter, end_ns - quarter), (middle, middle)):
            for nest in (*self._innermost, self._ops):
                for lane in self._lanes:
                    at = nest.innermost(np.full(len(begin), lane, np.int64), begin, end)
                    at = _outermost(nest, at, end) if nest is self._ops else at
                    _fill(rows, nest, at)
        return self._named(rows)

    def functions_within(self, start_ns: Int64s, end_ns: Int64s) -> list[str]:
        """The same as `names`, but a user function that runs within a label names a pause before the label
        does.
        """
        named = self.names(start_ns, end_ns)
        middle = (start_ns + end_ns) // 2
        for lane in self._lanes:
            ranges, frames = (
                nest.innermost(np.full(len(middle), lane, np.int64), middle, middle)
                for nest in self._innermost
            )
            for at in np.flatnonzero((ranges != NONE) & (frames != NONE)).tolist():
                label, function = (
                    int(nest.rows[found[at]])
                    for nest, found in zip(self._innermost, (ranges, frames), strict=True)
                )
                if self._trace.slices.start_ns[function] >= self._trace.slices.start_ns[label]:
                    named[at] = self._trace.names[self._trace.slices.name[function]]
        return named

    def code_on(self, lane: Int64s, instants: Int64s) -> list[str]:
        """The label or user function that each lane was in; ops are none; "" where there is none."""
        rows = np.full(len(instants), NONE, np.int64)
        for nest in self._innermost:
            _fill(rows, nest, nest.innermost(lane, instants, instants))
        return self._named(rows)

    def ops_on(self, lane: Int64s, instants: Int64s) -> Int64s:
        """Row of the innermost op that each lane was in, or `nesting.NONE`."""
        rows = np.full(len(instants), NONE, np.int64)
        _fill(rows, self._ops, self._ops.innermost(lane, instants, instants))
        return rows

    def _named(self, rows: Int64s) -> list[str]:
        """The program's own name of each row: that of generated code is what is around it, if anything."""
        slices, names = self._trace.slices, self._trace.names
        generated = np.flatnonzero(rows != NONE)
        generated = generated[self._generated[slices.name[rows[generated]]]]
        own = np.full(len(generated), NONE, np.int64)
        lane, start_ns = slices.lane[rows[generated]].astype(np.int64), slices.start_ns[rows[generated]]
        for nest in self._written:
            _fill(own, nest, nest.innermost(lane, start_ns, start_ns))
        written = rows.copy()
        written[generated] = np.where(own == NONE, rows[generated], own)
        of_row = ["" if row == NONE else names[slices.name[row]] for row in written.tolist()]
        for at in generated.tolist():
            of_row[at] = GENERATED + of_row[at]
        return of_row


def _steps_first(trace: Trace, lanes: tuple[int, ...], step_lanes: tuple[int, ...]) -> list[int]:
    """The training lanes, that of the steps before those that work for it; then by their first row."""
    slices = trace.slices
    begun = {lane: int(slices.start_ns[slices.lane == lane].min()) for lane in lanes}
    return sorted(begun, key=lambda lane: (lane not in step_lanes, begun[lane]))


def _fill(rows: Int64s, nest: Nest, at: Int64s) -> None:
    """What is not known yet, from these positions."""
    found = (at != NONE) & (rows == NONE)
    rows[found] = nest.rows[at[found]]


def _outermost(nest: Nest, position: Int64s, instants: Int64s) -> Int64s:
    outermost = position
    while (position != NONE).any():
        outermost = np.where(position == NONE, outermost, position)
        position = nest.enclosing(position, instants)
    return outermost
