"""By what the calls of operators are put together: name, shapes, stack, module, label or step.

Groups by name, shapes and stack are of one operator each. Those by module, label and step hold all
operators; what autograd runs belongs to the module, label and stack of its forward operator.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.attribution.annotations import label_rows, module_name, module_rows
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.forward_calls import forward_calls
from tbprof.analysis.operators.host_tree import climbed, outermost
from tbprof.analysis.operators.operators import Operators
from tbprof.analysis.operators.stacks import find_stacks
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import Tables

Grouping: TypeAlias = Literal["name", "shapes", "stack", "module", "label", "step"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
GROUPING_TABLES: Tables = frozenset(("autograd",))
"""What of a trace leads from the backward pass to the forward pass."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    code: Int64s
    """For each call an index into the columns below."""
    names: tuple[str, ...]
    """Of the operator, or of the module, label or step; "" for calls in none."""
    shapes: tuple[str, ...] | None
    """JSON, "" where not recorded; None where the groups are by something else."""
    stacks: tuple[tuple[str, ...], ...] | None
    """Innermost frame first."""
    is_of_one_operator: bool
    """By name, shapes or stack."""


def group_operators(facts: Facts, operators: Operators, by: Grouping) -> Groups:
    """Put every call into one group."""
    if by == "step":
        names = (*facts.steps.names, "")
        code = np.where(operators.step == NONE, len(names) - 1, operators.step)
        return Groups(code, names, None, None, is_of_one_operator=False)
    if by in ("module", "label"):
        return _by_code(facts, operators, by)
    return _by_operator(facts, operators, by)


def _by_operator(facts: Facts, operators: Operators, by: Grouping) -> Groups:
    trace = facts.trace
    name = trace.slices.name[operators.rows].astype(np.int64)
    detail, details = np.zeros(len(name), np.int64), None
    if by == "shapes":
        detail = trace.input_shapes.at(operators.rows)
    elif by == "stack":
        stacks = find_stacks(trace, operators.rows)
        frames = (*stacks.frames, ())
        detail = _with_forward(facts, operators, stacks.stack, len(frames) - 1, with_engine=False)
        details = frames
    pairs, first, code = np.unique(
        np.stack([name, detail], axis=1), axis=0, return_index=True, return_inverse=True
    )
    chosen = detail[first].tolist()
    return Groups(
        code=code.reshape(len(name)),
        names=tuple(trace.names[one] for one in pairs[:, 0].tolist()),
        shapes=tuple("" if one == NONE else trace.names[one] for one in chosen) if by == "shapes" else None,
        stacks=None if details is None else tuple(details[one] for one in chosen),
        is_of_one_operator=True,
    )


def _by_code(facts: Facts, operators: Operators, by: Grouping) -> Groups:
    trace = facts.trace
    if by == "module":
        name = _modules(facts, operators)
    else:
        name = _names(trace, _innermost(facts, operators, label_rows(trace)))
        forward = _with_forward(facts, operators, name, NONE)
        name = np.where(name == NONE, forward, name)
    found, code = np.unique(name, return_inverse=True)
    names = ("" if one == NONE else module_name(trace.names[one]) for one in found.tolist())
    return Groups(code, tuple(names), None, None, is_of_one_operator=False)


def _modules(facts: Facts, operators: Operators) -> Int64s:
    """For each call the name of its module, that of the forward call for what autograd runs.

    What autograd runs in a module is that one's: checkpointing computes it again.
    """
    trace = facts.trace
    row = _innermost(facts, operators, module_rows(trace))
    is_backward, forward = forward_calls(trace, operators, with_engine=True)
    start, root = trace.slices.start_ns, outermost(operators.parent, is_backward)
    begun = start[operators.rows[np.maximum(root, 0)]]
    is_own = ~is_backward | ((row != NONE) & (start[np.maximum(row, 0)] >= begun))
    at = climbed(np.where(is_own, np.arange(len(row)), forward), is_own)
    return np.where(at == NONE, NONE, _names(trace, row)[np.maximum(at, 0)])


def _names(trace: Trace, rows: Int64s) -> Int64s:
    """Interned; `NONE` of no row."""
    names = np.full(len(rows), NONE, np.int64)
    names[rows != NONE] = trace.slices.name[rows[rows != NONE]]
    return names


def _innermost(facts: Facts, operators: Operators, rows: Int64s) -> Int64s:
    """For each call the innermost of these rows around it, or `NONE`."""
    slices = facts.trace.slices
    nest = Nest.of(slices, rows)
    calls = operators.rows
    at = nest.innermost(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    found = np.full(len(at), NONE, np.int64)
    found[at != NONE] = nest.rows[at[at != NONE]]
    return found


def _with_forward(
    facts: Facts, operators: Operators, values: Int64s, none: int, *, with_engine: bool = True
) -> Int64s:
    """The values of the forward call for what autograd runs, `none` where that call is not known."""
    is_backward, forward = forward_calls(facts.trace, operators, with_engine=with_engine)
    return np.where(is_backward, np.where(forward == NONE, none, values[np.maximum(forward, 0)]), values)
