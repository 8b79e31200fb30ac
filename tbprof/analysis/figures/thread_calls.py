"""What one thread asks of the device: ops that launch or wait, and launches and waits outside of ops.

Views and all else that asks nothing of the device are left out. What goes on in an optimizer, a backward
pass, a data loader, compiled code or a CUDA graph is marked as part of no loop, and no loop goes across it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.calls import GRAPH_LAUNCH
from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import are_within, union
from tbprof.analysis.names import match, matching_rows
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, is_among, lookup
from tbprof.trace.columns.columns import Category

_PRODUCTS = (
    r"aten::(?:linear|addmm|mm|bmm|baddbmm|addbmm|matmul|einsum|mv|addmv|tensordot|bilinear|\w*conv\w*|lstm\w*"
    r"|gru\w*|rnn_\w+|_thnn_fused_\w+|_scaled_mm)$|.*(?:gemm|gemv|_mm_|fprop|cutlass|winograd|implicit_conv|nvjet)"
)
_NETWORKS = (
    r"aten::(?:\w+_norm|\w*softmax|\w*logsumexp|multinomial|\w*_attention\w*|rsqrt\w*|cross_entropy\w*|nll_loss\w*)$"
    r"|.*(?:flash|fmha|[aA]ttention|[lL]ayer_?[nN]orm|rms_?norm|batch_?norm|bn_fw|[sS]oft_?[mM]ax)"
)
"""What layers, batches and decoded tokens have besides."""

_GATHERS = (
    r"aten::(?:index|index_\w+|_index_put_impl_|nonzero\w*|masked_\w+|gather|scatter\w*|take\w*|argwhere"
    r"|where|_?unique\w*|bincount)$"
)
_SELECTS = r"aten::(?:select|slice|narrow|index|index_select)$"
_TAKES_APART = r"aten::(?:unbind|split\w*|chunk|tensor_split)$"

_NEAR = 6
"""Ops between a tensor that is taken apart and the first turn."""

_NO_ITEM_OPS = (
    rf"autograd::engine|{LOADER}|Torch-Compiled Region|CompiledFunction|record_param_comms|c10d::|nccl:"
)
_NO_ITEM_RANGES = rf"Optimizer\.|DistributedDataParallel|## Call CompiledFxGraph|{LOADER}"


@dataclass(frozen=True, slots=True, eq=False)
class ThreadCalls:
    """What one thread asks of the device, in order."""

    start_ns: Int64s
    end_ns: Int64s
    name: Int64s
    letter: Int64s
    """Equal for calls of one name that copy in one direction; `NONE` for what is part of no loop."""
    border: Int64s
    """Equal where nothing lies between that no loop goes across."""
    kernels: Int64s
    waits: Int64s
    multiplies: Int64s
    normalizes: Int64s
    gathers: Int64s
    taken_apart: Int64s
    """These are 0 or 1; the last one is whether a tensor was taken apart just before."""
    selected_ns: Int64s
    """When the thread selects from a tensor, ascending: a list of its own."""


def calls_of_thread(facts: Facts, lane: int) -> ThreadCalls:
    """The calls of a lane in the steps; an op with several of them is one."""
    slices, work, episodes = facts.trace.slices, facts.work, facts.episodes
    rows, waiting = _asking(facts, lane)
    if not len(rows):
        return ThreadCalls(*[rows] * len(dataclasses.fields(ThreadCalls)))
    owner = _top_ops_of(facts, lane, rows)
    begins = np.flatnonzero(np.diff(owner, prepend=NONE - 1))
    of_call = np.cumsum(np.bincount(begins, minlength=len(rows))) - 1
    launched = lookup(rows, np.arange(len(rows)), work.launch)
    known = np.flatnonzero((launched != NONE) & (work.launch != NONE))
    first_work = lookup(work.launch[known], known, rows[begins])
    is_op = owner[begins] < len(facts.top_ops)
    bare = rows[begins]
    bare[first_work != NONE] = work.rows[first_work[first_work != NONE]]
    op = facts.top_ops.rows[np.where(is_op, owner[begins], 0)] if is_op.any() else bare
    shown = np.where(is_op, op, bare)
    direction = lookup(facts.calls.rows[episodes.first], episodes.direction + 1, rows)
    name = slices.name[shown].astype(np.int64)
    copies = np.maximum.reduceat(direction, begins) - NONE
    start_ns = np.where(is_op, slices.start_ns[op], slices.start_ns[rows[begins]])
    end_ns = np.where(is_op, slices.end_of(op), slices.end_of(rows[begins]))

    def count(at: Int64s) -> Int64s:
        """How many of this device work each call launched."""
        return np.bincount(of_call[launched[at]], minlength=len(begins))

    def has(pattern: str) -> Int64s:
        """Whether the op of each call is named so, or a kernel of it."""
        kernels = known[match(facts.trace, work.rows[known], pattern)]
        return (match(facts.trace, shown, pattern) | (count(kernels) > 0)).astype(np.int64)

    others, border = _borders(facts, start_ns, rows[begins])
    selected_ns, taken_apart = _selections(facts, lane, start_ns)
    return ThreadCalls(
        start_ns=start_ns,
        end_ns=end_ns,
        name=name,
        letter=np.where(others, NONE, distinct_places(name * (len(DIRECTIONS) + 2) + copies)[1]),
        border=border,
        kernels=count(known[work.is_kernel[known]]),
        waits=np.bincount(of_call[is_among(rows, waiting)], minlength=len(begins)),
        multiplies=has(_PRODUCTS),
        normalizes=has(_NETWORKS),
        gathers=has(_GATHERS),
        taken_apart=taken_apart,
        selected_ns=selected_ns,
    )


def _asking(facts: Facts, lane: int) -> tuple[Int64s, Int64s]:
    """The rows of runtime calls in the steps that launch or wait, in order; and of all that wait."""
    slices, work, episodes = facts.trace.slices, facts.work, facts.episodes
    waiting = facts.calls.rows[episodes.first[episodes.blocking & (episodes.lane == lane)]]
    rows = distinct(np.concatenate([work.launches[slices.lane[work.launches] == lane], waiting]))
    rows = rows[facts.steps.index_of(slices.start_ns[rows]) != NONE]
    return rows[np.argsort(slices.start_ns[rows], kind="stable")], waiting


def _selections(facts: Facts, lane: int, start_ns: Int64s) -> tuple[Int64s, Int64s]:
    """When the thread selects from a tensor, and for each call whether one was taken apart just before it."""
    ops = facts.top_ops
    rows = ops.rows[ops.lane == lane]
    op_ns = facts.trace.slices.start_ns[rows]
    apart = np.append(0, np.cumsum(match(facts.trace, rows, _TAKES_APART)))
    at = np.searchsorted(op_ns, start_ns)
    near = (apart[at] > apart[np.maximum(at - _NEAR, 0)]).astype(np.int64)
    return op_ns[match(facts.trace, rows, _SELECTS)], near


def _top_ops_of(facts: Facts, lane: int, rows: Int64s) -> Int64s:
    """The position of the outermost op around each call; without one a number of its own beyond all ops."""
    slices, ops = facts.trace.slices, facts.top_ops
    mine = np.flatnonzero(ops.lane == lane)
    alone = len(ops) + np.arange(len(rows))
    if not len(mine):
        return alone
    at = np.searchsorted(slices.start_ns[ops.rows[mine]], slices.start_ns[rows], side="right") - 1
    around = mine[np.maximum(at, 0)]
    return np.where((at >= 0) & (slices.start_ns[rows] < slices.end_of(ops.rows[around])), around, alone)


def _borders(facts: Facts, start_ns: Int64s, rows: Int64s) -> tuple[npt.NDArray[np.bool_], Int64s]:
    """The calls that are part of no loop, and for each a number of what no loop goes across."""
    trace, slices = facts.trace, facts.trace.slices
    ranges = np.concatenate(
        [
            matching_rows(trace, _NO_ITEM_OPS, Category.CPU_OP),
            matching_rows(trace, _NO_ITEM_RANGES, Category.USER_ANNOTATION, Category.CPU_OP),
        ]
    )
    ranges = ranges[is_among(slices.lane[ranges], facts.training_threads)]
    others = are_within(start_ns, union(slices.start_ns[ranges], slices.end_of(ranges) + 1))
    others |= match(trace, rows, GRAPH_LAUNCH)
    begun = np.sort(np.concatenate([slices.start_ns[ranges], start_ns[others]]), kind="stable")
    step = facts.steps.index_of(start_ns)
    return others, np.searchsorted(begun, start_ns) * (len(facts.steps) + 1) + step
