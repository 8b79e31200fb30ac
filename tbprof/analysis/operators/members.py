"""The calls of one row of the table of operators, what was launched in them, and the code they come from."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.forward_calls import forward_calls
from tbprof.analysis.operators.grouping import Groups
from tbprof.analysis.operators.operators import Operators
from tbprof.analysis.operators.stacks import find_stacks
from tbprof.model import Source
from tbprof.trace.columns.arrays import NONE, Int64s, is_among


class GroupRow(Protocol):
    """A row of a table of operators, by what tells it from the others."""

    @property
    def name(self) -> str | None: ...
    @property
    def shapes(self) -> str | None: ...
    @property
    def stack(self) -> tuple[str, ...] | None: ...


def calls_of_row(operators: Operators, groups: Groups, row: GroupRow, *, in_steps: bool) -> Int64s:
    """Its calls, those within another one of the same row left out.

    Args:
        operators: All of the window.
        groups: By what the table was made.
        row: One of that table.
        in_steps: As the table was made.
    """
    codes = [
        code
        for code, name in enumerate(groups.names)
        if name == (row.name or "")
        and (groups.shapes is None or groups.shapes[code] == row.shapes)
        and (groups.stacks is None or groups.stacks[code] == row.stack)
    ]
    is_mine = is_among(groups.code, codes) & ~operators.is_inside_its_like(groups.code)
    if in_steps:
        is_mine &= operators.step != NONE
    return np.flatnonzero(is_mine)


def work_of_calls(operators: Operators, calls: Int64s) -> Int64s:
    """Positions in `Facts.work` of what was launched in these calls or in one within them."""
    is_within = np.zeros(len(operators), np.bool_)
    is_within[calls] = True
    around: Int64s = operators.parent.copy()
    open_ = np.flatnonzero(around != NONE)
    while len(open_):
        is_within[open_] |= is_within[around[open_]]
        around[open_] = operators.parent[around[open_]]
        open_ = open_[(around[open_] != NONE) & ~is_within[open_]]
    return np.flatnonzero((operators.of_work != NONE) & is_within[np.maximum(operators.of_work, 0)])


def code_of_calls(
    facts: Facts, operators: Operators, calls: Int64s, rows: Int64s
) -> tuple[Int64s, tuple[Source, ...]]:
    """The user's innermost function around each, that of the forward call for what autograd runs.

    Args:
        facts: Of the window.
        operators: All of it.
        calls: Positions in `operators`, or `NONE`.
        rows: Of the trace, on the host: where a call begins that no forward call is known of.

    Returns:
        For each an index into the sources, or `NONE`.
    """
    trace = facts.trace
    if len(operators):
        is_backward, forward = forward_calls(trace, operators, with_engine=True)
        ahead = np.where(calls == NONE, NONE, np.where(is_backward, forward, NONE)[np.maximum(calls, 0)])
        rows = np.where(ahead == NONE, rows, operators.rows[np.maximum(ahead, 0)])
    stacks = find_stacks(trace, rows)
    is_exact = len(trace.call_stack.rows) > 0
    sources: dict[Source, int] = {}
    at = np.full(len(stacks.frames) + 1, NONE, np.int64)
    for number, frames in enumerate(stacks.frames):
        own = next(filter(None, (parse_frame(frame, exact=is_exact) for frame in frames)), None)
        if own is not None:
            at[number] = sources.setdefault(own, len(sources))
    return at[stacks.stack], tuple(sources)
