"""Which call of the forward pass each call of the backward pass belongs to.

autograd numbers what it records: the forward operator and what it runs for it later bear one
`Sequence number`, and the latter name torch's number of the forward's thread. That thread's lane is the one
on which most of its numbers are found. Several calls may bear one number: those that autograd does not record
bear that of the next one that it does, which is the latest. `key_averages()` takes the earliest. A call that
autograd records as several functions, as one in place on a view is, bears the first one's number alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import matching_names
from tbprof.analysis.operators.host_tree import climbed
from tbprof.analysis.operators.operators import Operators
from tbprof.trace.columns.arrays import NONE, lookup
from tbprof.trace.columns.columns import Int64s, Trace

__all__ = ["forward_calls"]

_ENGINE = r"autograd::engine::"
_ACCUMULATING = r"torch::autograd::AccumulateGrad"
"""It belongs to a parameter, not to a forward call, and has no number."""


def forward_calls(
    trace: Trace, operators: Operators, *, with_engine: bool
) -> tuple[npt.NDArray[np.bool_], Int64s]:
    """For each call whether autograd runs it, and the forward call that it belongs to, or `NONE`.

    Without the table `autograd` of the trace nothing is known to be autograd's.

    Args:
        trace: The one of the operators.
        operators: All of them.
        with_engine: Whether to count what autograd's engine does around its functions, such as adding up
            gradients, to take the latest call of a number, and to join the further functions of a call;
            `key_averages()` does none of these.
    """
    none = np.full(len(operators), NONE, np.int64)
    if trace.autograd is None or len(operators) == 0:
        return np.zeros(len(operators), np.bool_), none
    number = trace.autograd.autograd_number.at(operators.rows)
    thread = trace.autograd.forward_thread.at(operators.rows)
    name = trace.slices.name[operators.rows]
    begins = (thread > 0) | matching_names(trace, _ACCUMULATING)[name]
    if not with_engine:
        begins &= ~matching_names(trace, _ENGINE)[name]
    root = climbed(np.where(begins, np.arange(len(begins)), operators.parent), begins)
    is_backward = root != NONE
    slices, forward = trace.slices, np.flatnonzero(~is_backward & (number >= 0))
    forward = forward[np.argsort(slices.start_ns[operators.rows[forward]], kind="stable")]
    found = none
    lane = slices.lane[operators.rows[forward]]
    for one in np.unique(thread[begins]).tolist():
        mine = np.flatnonzero(is_backward)[thread[root[is_backward]] == one]
        wanted = number[root[mine]]
        lanes = lane[np.isin(number[forward], wanted)]
        if len(lanes):
            there = forward[lane == np.bincount(lanes).argmax()]
            found[mine] = (
                _recorded_by(number[there], there, wanted)
                if with_engine
                else lookup(number[there], there, wanted)
            )
    return is_backward, found


def _recorded_by(number: Int64s, calls: Int64s, wanted: Int64s) -> Int64s:
    """The latest call of each number; where none bears it that of the largest number below."""
    order = np.argsort(number, kind="stable")
    at = np.searchsorted(number[order], wanted, side="right") - 1
    return np.where((at >= 0) & (wanted >= 0), calls[order[np.maximum(at, 0)]], NONE)
