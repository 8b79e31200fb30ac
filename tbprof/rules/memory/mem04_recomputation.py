"""Activations are computed twice to save memory.

What
    Activation checkpointing runs parts of the forward pass again in the backward pass.

Why
    It is the price of a smaller peak of memory. Where memory is free, that price buys nothing: each part
    that keeps its activations saves its second forward pass.

Example
    before:
        x = checkpoint(self.block, x, use_reentrant=False)
    after:
        x = self.block(x)

Action
    Checkpoint fewer parts, if memory allows.

Fix
    Leave checkpointing to the parts whose activations are largest and cheapest to compute again, or let
    `torch.utils.checkpoint.create_selective_checkpoint_contexts` keep the products.
    caveat: look at the peak of memory first; without checkpointing the program may not fit.

Silent
    Not reported without Python frames, which identify the second forward pass, or if it takes less than 1 %
    of the steps. Whether memory is free is not known: the class is at most low.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import records_frames
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, union
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding
from tbprof.rules.base.computing import computing_finding, device_ns, in_main_steps, is_worth_a_word, spent_on
from tbprof.rules.base.launching import gaps_ns, launched_inside
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.memory.words import Checkpointed, Recomputation
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category

_CODE = "MEM04"

_AGAIN = r"(?:.*/)?torch/utils/checkpoint\.py\(\d+\): recompute_fn"
_CHECKPOINTED = r"(?:.*/)?torch/utils/checkpoint\.py\(\d+\): checkpoint$"


def find(facts: Facts) -> Iterator[Finding]:
    work = _recomputed(facts)
    spent_ns = device_ns(facts, work)
    if is_worth_a_word(facts, spent_ns):
        won_ns = spent_ns + gaps_ns(facts, work) + earlier_host_ns(facts, _again(facts))
        figures = Recomputation(*spent_on(facts, work))
        found = computing_finding(facts, _CODE, work, ceiling_ns=won_ns, figures=figures, confidence="high")
        yield dataclasses.replace(found, severity="low")


def _recomputed(facts: Facts) -> Int64s:
    inside = launched_inside(facts, matching_rows(facts.trace, _AGAIN, Category.PYTHON))
    return in_main_steps(facts, inside[facts.work.is_kernel[inside]])


def _again(facts: Facts) -> Intervals:
    """When the host computed again."""
    rows, slices = matching_rows(facts.trace, _AGAIN, Category.PYTHON), facts.trace.slices
    return union(slices.start_ns[rows], slices.end_of(rows))


def _looked_at(facts: Facts) -> Checkpointed | None:
    calls = len(matching_rows(facts.trace, _CHECKPOINTED, Category.PYTHON))
    steps_ns = max(facts.steps.total_ns, 1)
    return Checkpointed(calls, device_ns(facts, _recomputed(facts)) / steps_ns) if calls else None


RULE = Rule(
    code=_CODE,
    effect="fewer_kernels",
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK, Need("Python frames", records_frames)),
)
