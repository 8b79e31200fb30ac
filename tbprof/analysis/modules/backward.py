"""What autograd runs, and the forward operator that each of it belongs to."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.names import match
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.forward_calls import forward_calls
from tbprof.analysis.operators.operators import Operators, find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Int64s

__all__ = ["Backward", "find_backward"]

_ENGINE = r"autograd::engine::|torch::autograd::AccumulateGrad"
_SEED = r"aten::ones_like\Z"


@dataclass(frozen=True, slots=True, eq=False)
class Backward:
    """The outermost operators that autograd runs, one entry each."""

    rows: Int64s
    """Of the trace, ascending."""
    forward: Int64s
    """Row of the forward operator of each; `NONE` where it is not known."""
    outer: Int64s
    """Row of the outermost operator around that one, itself where none is."""
    seeds: Int64s
    """Rows of the operators that made the gradient of a loss for itself, which is 1."""


def find_backward(facts: Facts) -> Backward:
    """A gradient's accumulation belongs to the function that autograd ran before it on its thread.

    Torch gives it no number. Autograd runs it as soon as a parameter's gradient is complete, so that what ran
    before it is the function that completed it.
    """
    operators = find_operators(facts)
    is_backward, forward = forward_calls(facts.trace, operators, with_engine=True)
    slices = facts.trace.slices
    is_backward = is_backward | match(facts.trace, operators.rows, _ENGINE)
    around = operators.parent
    roots = np.flatnonzero(is_backward & ~((around != NONE) & is_backward[np.maximum(around, 0)]))
    known = _filled(slices.lane[operators.rows[roots]].astype(np.int64), forward[roots])
    outermost = _outermost(operators)
    found, at = known != NONE, np.maximum(known, 0)
    order = np.argsort(operators.rows[roots], kind="stable")
    return Backward(
        rows=operators.rows[roots][order],
        forward=np.where(found, operators.rows[at], NONE)[order],
        outer=np.where(found, operators.rows[outermost[at]], NONE)[order],
        seeds=_seeds(facts, operators, roots),
    )


def _seeds(facts: Facts, operators: Operators, roots: Int64s) -> Int64s:
    """What is made right before autograd begins; it runs where `backward()` is called."""
    slices = facts.trace.slices
    outer = np.flatnonzero(operators.parent == NONE)
    outer = outer[np.argsort(slices.start_ns[operators.rows[outer]], kind="stable")]
    is_seed = match(facts.trace, operators.rows[outer], _SEED)
    begins = np.append(np.isin(outer, roots)[1:], False)
    return np.sort(operators.rows[outer[is_seed & begins & ~np.isin(outer, roots)]])


def _filled(lane: Int64s, forward: Int64s) -> Int64s:
    """Where there is none that of the entry before it on its lane; operators ascend by lane and start."""
    if len(forward) == 0:
        return forward
    last = np.maximum.accumulate(np.where(forward != NONE, np.arange(len(forward)), 0))
    return np.where(lane[last] == lane, forward[last], NONE)


def _outermost(operators: Operators) -> Int64s:
    at = np.arange(len(operators))
    while (inside := np.flatnonzero(operators.parent[at] != NONE)).size:
        at[inside] = operators.parent[at[inside]]
    return at
