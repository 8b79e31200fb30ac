"""What every call of an operator costs: its own host and device time, launches, waits and idle.

The host's own time of a call leaves out all that is recorded in it: operators, ranges, runtime calls,
Python frames. Its own device time is that of what no operator within it launched.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import NEVER, overlap_ns
from tbprof.analysis.arrays.names import are_named
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.operator_calls import find_operator_calls, sums
from tbprof.analysis.operators.operators import add_inner, find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.tensor_cores import eligible_operators, is_on_tensor_cores


@dataclass(frozen=True, slots=True, eq=False)
class OperatorFigures:
    """One entry a call of `Operators`. Times are in ns."""

    host_self_ns: Int64s
    host_total_ns: Int64s
    device_self_ns: Int64s
    device_total_ns: Int64s
    tensor_self_ns: Int64s
    """Of the device time, that of kernels which use tensor cores."""
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
    """Of all calls of the window."""
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
