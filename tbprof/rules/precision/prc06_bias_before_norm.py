"""Convolutions add a bias that the batch norm after them takes away.

What
    A convolution with a bias stands right before a batch norm, and kernels of their own add the bias and sum
    up its gradient.

Why
    A batch norm subtracts the mean of its input, and with it any bias. The parameter learns nothing, and each
    step passes over the whole activation once to add it and once for its gradient.

Example
    before:
        nn.Sequential(nn.Conv2d(64, 128, 3), nn.BatchNorm2d(128))
    after:
        nn.Sequential(nn.Conv2d(64, 128, 3, bias=False), nn.BatchNorm2d(128))

Action
    Give convolutions before a batch norm bias=False.

Fix
    Leave out the bias where a batch norm follows at once. The batch norm's own bias does what is left to do.
    caveat: a checkpoint with the biases no longer loads as it is; they can be dropped from it.

Silent
    Not reported for windows that train nothing, if another op that launches kernels runs between the two,
    if the library adds the bias inside the convolution, or if it takes less than 1 % of the steps. Only a
    ceiling is known: the class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, union
from tbprof.analysis.names import match, matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import (
    computing_finding,
    device_ns,
    in_main_steps,
    is_worth_a_word,
    spent_on,
    trains,
)
from tbprof.rules.base.launching import gaps_ns, launched_inside
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision.words import BiasesLookedAt, NeedlessBiases
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_CODE = "PRC06"

_CONVOLUTION = r"aten::(?:conv(?:_transpose)?[123]d|convolution)$"
_NORM = r"aten::(?:batch_norm|(?:native|cudnn|miopen)_batch_norm|_batch_norm_with_update)$"
_ADDING = r"aten::add_?$"
_BACKWARD = r"ConvolutionBackward\d+$"
_SUMMING = r"aten::sum$"

SHORTEST_NS = 5_000
"""A kernel of one thread takes up to that on older devices, a third of a small batch norm."""


@dataclass(frozen=True, slots=True, eq=False)
class _Biases:
    pairs: int
    """Convolutions with a batch norm right after them."""
    biased: int
    work: Int64s
    """What adds their biases and sums up the gradients, by its positions."""
    spans: Intervals
    """When the host was in these ops."""


def find(facts: Facts) -> Iterator[Finding]:
    if not facts.once(trains):
        return
    biases = facts.once(_biases)
    spent_ns = device_ns(facts, biases.work)
    if is_worth_a_word(facts, spent_ns):
        figures = NeedlessBiases(*spent_on(facts, biases.work), pairs=biases.pairs, biased=biases.biased)
        won_ns = spent_ns + gaps_ns(facts, biases.work) + earlier_host_ns(facts, biases.spans)
        yield computing_finding(
            facts, _CODE, biases.work, ceiling_ns=won_ns, figures=figures, confidence="high"
        )


def _biases(facts: Facts) -> _Biases:
    slices = facts.trace.slices
    before_norm = _before_norm(facts)
    around = Nest.of(slices, before_norm)
    adding, of = _inside(facts, around, _ADDING)
    biased = distinct(around.rows[of])
    backward = _backward_of(facts, biased)
    summing, _ = _inside(facts, Nest.of(slices, backward), _SUMMING)
    ops = np.sort(np.concatenate([adding, summing]))
    work = in_main_steps(facts, launched_inside(facts, ops))
    return _Biases(len(before_norm), len(biased), work, union(slices.start_ns[ops], slices.end_of(ops)))


def _before_norm(facts: Facts) -> Int64s:
    """Rows of convolutions, ascending: the next op of their lane that launches a kernel is a batch norm."""
    ops = facts.top_ops
    at = np.flatnonzero(ops.kernels > 0)
    at = at[~_counts_batches(facts, at)]
    is_convolution, is_norm = (match(facts.trace, ops.rows[at], one) for one in (_CONVOLUTION, _NORM))
    follows = is_convolution[:-1] & is_norm[1:] & (np.diff(ops.lane[at]) == 0)
    before: Int64s = np.sort(ops.rows[at[:-1][follows]])
    return before


def _counts_batches(facts: Facts, at: Int64s) -> npt.NDArray[np.bool_]:
    """Whether each top op adds 1 to the batch norm's counter: an addition that takes next to nothing."""
    ops = facts.top_ops
    is_addition, is_norm = (match(facts.trace, ops.rows[at], one) for one in (_ADDING, _NORM))
    takes_ns = ops.device_ns[at]
    is_short = (takes_ns[:-1] <= SHORTEST_NS) | (4 * takes_ns[:-1] < takes_ns[1:])
    found = np.zeros(len(at), np.bool_)
    found[:-1] = is_addition[:-1] & is_norm[1:] & is_short
    return found


def _inside(facts: Facts, around: Nest, pattern: str) -> tuple[Int64s, Int64s]:
    """Ops of this name that lie in these ranges, and in which."""
    slices = facts.trace.slices
    rows = matching_rows(facts.trace, pattern, Category.CPU_OP)
    at = around.innermost(slices.lane[rows].astype(np.int64), slices.start_ns[rows], slices.end_of(rows))
    return rows[at != NONE], at[at != NONE]


def _backward_of(facts: Facts, convolutions: Int64s) -> Int64s:
    """Rows of the backward pass of these; none where autograd's numbers are not recorded."""
    autograd = facts.trace.autograd
    rows = matching_rows(facts.trace, _BACKWARD, Category.CPU_OP)
    if autograd is None or not len(rows):
        return rows[:0]
    numbers = autograd.autograd_number.at(convolutions)
    of: Int64s = rows[is_among(autograd.autograd_number.at(rows), numbers[numbers != NONE])]
    return of


def _looked_at(facts: Facts) -> BiasesLookedAt | None:
    if not facts.once(trains):
        return None
    biases = facts.once(_biases)
    return BiasesLookedAt(biases.pairs, biases.biased) if biases.pairs else None


RULE = Rule(code=_CODE, answers=("busy",), find=find, passing=_looked_at, needs=(GPU_WORK,))
