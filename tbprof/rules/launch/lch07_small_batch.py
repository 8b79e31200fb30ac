"""A larger batch would cost little.

What
    The device waits for launches, and launching takes the host as long for a large batch as for a small one.

Why
    With more samples in a batch each kernel runs longer while the host launches as many as before. Up to the
    size at which the device no longer waits, samples cost less and less.

Example
    before:
        loader = DataLoader(data, batch_size=8)
    after:
        loader = DataLoader(data, batch_size=32)

Action
    Try a larger batch.

Fix
    Enlarge the batch until the device no longer waits, or answer several requests in one batch. The figures
    come from the window replayed with kernels and uploads that many times as long; those of the optimizer
    and of communication stay as they are.
    caveat: a larger batch changes the training, needs more memory and more from the loader; of a request it
    makes the latency longer.

Silent
    Not reported if another cause has most of the idle time, if the pauses between launches leave the device
    idle for less than 10 % of the steps, or if the replay does not reproduce the window. It is advice, not
    a fault: always `info` and without a saving, because a step would do more work.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import find_launch_idle, largest_cause
from tbprof.analysis.intervals import total_ns
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import launched_inside
from tbprof.rules.base.passing import short_pauses
from tbprof.rules.base.rule import GPU_WORK, STEPS, Rule
from tbprof.rules.launch.words import LargerBatch
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category

_CODE = "LCH07"

IDLE_SHARE = 0.1
"""The share of the steps: with less idle a larger batch is hardly felt."""

FULL_SHARE = 0.95
"""A device that works for this part of the steps is full."""

FACTORS = (2, 4, 8, 16, 32)

_OPTIMIZER = r"Optimizer\.step#"


def find(facts: Facts) -> Iterator[Finding]:
    idle = facts.once(find_launch_idle).short().idle
    if largest_cause(facts) != "launch" or total_ns(idle) < IDLE_SHARE * facts.steps.total_ns:
        return
    if not facts.is_replayable:
        return
    larger = _larger(facts, _growing(facts))
    if larger is not None:
        yield window_finding(
            _CODE,
            place="",
            severity="info",
            count=len(idle),
            removal="rewrite",
            saving=None,
            confidence="low",
            evidence=idle_evidence(facts, idle),
            figures=larger,
        )


def _growing(facts: Facts) -> Int64s:
    """Device rows of the replayed steps whose length follows the size of the batch."""
    rows, work = facts.replay.rows_in_steps, facts.work
    optimizer = launched_inside(facts, matching_rows(facts.trace, _OPTIMIZER, Category.USER_ANNOTATION))
    fixed = facts.parts.is_communication.copy()
    fixed[optimizer] = True
    growing: Int64s = rows[~fixed[rows] & (work.device[rows] == work.main_device)]
    return growing


def _larger(facts: Facts, growing: Int64s) -> LargerBatch | None:
    """At how many times the length the device is full, and what a sample takes then; None where never.

    With kernels that grow as the batch does a sample takes `share`; with kernels that the device has room
    for beside what they do today it takes less, at least `least_share`.
    """
    work, rows = facts.work, facts.replay.rows_in_steps
    length = (work.end_ns - work.start_ns).astype(np.int64)
    once_ns, grown_ns = int(length[rows].sum()), int(length[growing].sum())
    now_ns = facts.replay.unchanged_ns
    for factor in FACTORS:
        works_ns = once_ns + (factor - 1) * grown_ns
        # Longer rows make no step shorter: what would not fill today's steps needs no replay.
        if works_ns < FULL_SHARE * now_ns:
            continue
        takes_ns = facts.replay.stretched_ns(growing, factor)
        if works_ns >= FULL_SHARE * takes_ns:
            share = takes_ns / factor / max(now_ns, 1)
            return LargerBatch(factor, share=round(share, 3), least_share=round(1 / factor, 3))
    return None


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=short_pauses,
    needs=(GPU_WORK, STEPS),
    no_saving="a step does more work with a larger batch",
)
