"""What autograd runs, and the forward operator that each of it belongs to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import match
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.forward_calls import forward_calls
from tbprof.analysis.operators.host_tree import climbed
from tbprof.analysis.operators.operators import Operators, find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among

_ENGINE = r"autograd::engine::|torch::autograd::AccumulateGrad"
_ENGINE_CALL = r"autograd::engine::evaluate_function"
_ACCUMULATING = r"(?:autograd::engine::evaluate_function: )?torch::autograd::AccumulateGrad"
_SEED = r"aten::ones_like\Z"


@dataclass(frozen=True, slots=True, eq=False)
class Backward:
    """The functions that autograd runs, one entry each: the outermost operators, and those for which
    autograd runs in one of them, as reentrant checkpointing does.
    """

    rows: Int64s
    """Of the trace, ascending."""
    forward: Int64s
    """Row of the forward operator of each; `NONE` where it is not known."""
    outer: Int64s
    """Row of the outermost operator around that one, itself where none is; of what was recorded in another
    function that one's."""
    recorded_in: Int64s
    """Index of the function that recorded that operator, or `NONE`: it computed again, or is to be
    differentiated again. It began earlier."""
    seeds: Int64s
    """Rows of the operators that made the gradient of a loss for itself, which is 1."""


def find_backward(facts: Facts) -> Backward:
    """A gradient's accumulation belongs to the function that autograd ran before it on its thread.

    Torch gives it no number. Autograd runs it as soon as a parameter's gradient is complete, so that what ran
    before it is the function that completed it.
    """
    operators = facts.once(find_operators)
    is_backward, forward = forward_calls(facts.trace, operators, with_engine=True)
    slices = facts.trace.slices
    is_backward = is_backward | match(facts.trace, operators.rows, _ENGINE)
    roots = _roots(facts, operators, is_backward, forward)
    order = np.argsort(operators.rows[roots], kind="stable")
    own = np.where(match(facts.trace, operators.rows[roots], _ACCUMULATING), NONE, forward[roots])
    known = _filled(slices.lane[operators.rows[roots]].astype(np.int64), own)[order]
    found, at = known != NONE, np.maximum(known, 0)
    root_of = np.full(len(operators), NONE, np.int64)
    root_of[roots[order]] = np.arange(len(roots))
    around = climbed(np.where(root_of != NONE, np.arange(len(root_of)), operators.parent), root_of != NONE)
    recorded_in = np.where(found & (around[at] != NONE), root_of[around[at]], NONE)
    is_first = recorded_in == NONE
    first = climbed(np.where(is_first, np.arange(len(roots)), recorded_in), is_first)
    return Backward(
        rows=operators.rows[roots][order],
        forward=np.where(found, operators.rows[at], NONE),
        outer=np.where(found, operators.rows[_outermost(operators)[at]], NONE)[first],
        recorded_in=recorded_in,
        seeds=_seeds(facts, operators, roots),
    )


def _roots(facts: Facts, operators: Operators, is_backward: npt.NDArray[np.bool_], forward: Int64s) -> Int64s:
    """Positions of the functions: within another one those that belong to another forward operator."""
    around = np.maximum(operators.parent, 0)
    is_inner = (operators.parent != NONE) & is_backward[around]
    is_own = (forward != NONE) & (forward != forward[around])
    is_called = match(facts.trace, operators.rows, _ENGINE_CALL)
    return np.flatnonzero(is_backward & (~is_inner | is_own | is_called))


def _seeds(facts: Facts, operators: Operators, roots: Int64s) -> Int64s:
    """What is made right before autograd begins; it runs where `backward()` is called."""
    slices = facts.trace.slices
    outer = np.flatnonzero(operators.parent == NONE)
    outer = outer[np.argsort(slices.start_ns[operators.rows[outer]], kind="stable")]
    is_seed = match(facts.trace, operators.rows[outer], _SEED)
    begins = np.append(is_among(outer, roots)[1:], False)
    return np.sort(operators.rows[outer[is_seed & begins & ~is_among(outer, roots)]])


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
