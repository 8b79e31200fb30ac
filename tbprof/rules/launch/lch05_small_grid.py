"""Kernels are too small for the device.

What
    Kernels with fewer blocks than the device has multiprocessors hold it for much of the time: the other
    multiprocessors have nothing to do.

Why
    The device counts as busy, but a part of it waits. More work in each kernel costs nothing then: a
    larger batch, or independent work beside it.

Example
    before:
        loader = DataLoader(data, batch_size=2)
    after:
        loader = DataLoader(data, batch_size=16)

Action
    Give each kernel more to do: a larger batch.

Fix
    Make the batch larger, join small products to one (`torch.bmm`, a grouped product), or run independent
    parts on streams of their own.
    caveat: a larger batch changes the training; the learning rate may have to follow.

Silent
    Not reported if spreading these kernels over the whole device would save less than 10 % of the steps,
    for communication, while another kernel beside them fills the rest, or without recorded grids. This is
    the most that can be saved: the class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, overlap_ns, union
from tbprof.model import Finding
from tbprof.rules.base.computing import computing_finding, in_main_steps, spent_on
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.launch.words import FewSmallGrids, SmallGrids
from tbprof.trace.columns.arrays import Int64s

_CODE = "LCH05"

SMALL_SHARE = 0.1
"""The share of the steps below which a fuller device is hardly felt."""


def find(facts: Facts) -> Iterator[Finding]:
    work, unused_ns = _small(facts)
    if unused_ns >= max(SMALL_SHARE * facts.steps.total_ns, 1):
        share, per_step_ns = spent_on(facts, work)
        yield computing_finding(
            facts,
            _CODE,
            work,
            ceiling_ns=unused_ns,
            figures=SmallGrids(share, per_step_ns, len(work), len(facts.kernels_in_steps)),
            keeps_launches=True,
        )


def _small(facts: Facts) -> tuple[Int64s, int]:
    """Kernels with less than a block for each multiprocessor, and the device time that they leave unused."""
    work = facts.work
    blocks = facts.trace.blocks_per_sm.at(work.rows)
    alone = work.is_kernel & ~facts.parts.is_communication & (blocks > 0) & (blocks < 1)
    small = in_main_steps(facts, np.flatnonzero(alone))
    by_itself_ns = overlap_ns(_one_kernel(facts), work.start_ns[small], work.end_ns[small])
    return small, round(float((by_itself_ns * (1 - blocks[small])).sum()))


def _one_kernel(facts: Facts) -> Intervals:
    """The moments in which exactly one kernel of the busiest device runs."""
    work = facts.work
    mine = work.is_kernel & (work.device == (-1 if work.main_device is None else work.main_device))
    instants = np.concatenate([work.start_ns[mine], work.end_ns[mine]])
    order = np.argsort(instants, kind="stable")
    running = np.cumsum(np.repeat([1, -1], int(mine.sum()))[order])
    alone = np.flatnonzero(running == 1)[: -1 if len(running) and running[-1] == 1 else None]
    return union(instants[order][alone], instants[order][alone + 1])


def _looked_at(facts: Facts) -> FewSmallGrids | None:
    small, unused_ns = _small(facts)
    kernels = len(facts.kernels_in_steps)
    if not kernels:
        return None
    return FewSmallGrids(len(small), kernels, unused=unused_ns / max(facts.steps.total_ns, 1))


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK, Need("blocks per SM", lambda facts: len(facts.trace.blocks_per_sm.rows) > 0)),
    is_of_device=True,
)
