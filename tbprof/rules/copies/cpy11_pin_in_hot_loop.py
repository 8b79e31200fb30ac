"""Memory is pinned on the thread that trains.

What
    `x.pin_memory()` is called in the step, or a pinned buffer is allocated there, again in most steps.

Why
    Pinning copies the whole tensor on the host, and a new pinned block is a slow call of the driver.
    Both happen before the copy to the device that they are meant to speed up, on the thread that
    should launch.

Example
    before:
        for images, labels in loader:
            images = images.pin_memory().to(device, non_blocking=True)
    after:
        loader = DataLoader(data, batch_size=128, num_workers=8, pin_memory=True)
        for images, labels in loader:
            images = images.to(device, non_blocking=True)

Action
    Let the DataLoader's own thread pin the memory.

Fix
    Let the DataLoader's own thread pin the batches, or write into a pinned buffer that is made once.
    caveat: pinned memory is taken from the whole machine; pin what is copied in each step, no more.

Silent
    Not reported for the first of several steps, for other threads, inside the data loader, or if fewer than
    half of the later steps do it. In a window of a single step the finding is less certain.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.copies.words import Pinning
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_CODE = "CPY11"

STEADY_SHARE = 0.5
"""The share of the steps after the first: torch keeps pinned blocks, so buffers that are made once come
early."""


def find(facts: Facts) -> Iterator[Finding]:
    pinning = find_pinning(facts)
    steady = max(len(facts.steps) - 1, 1)
    if len(distinct(pinning.step)) < STEADY_SHARE * steady:
        return
    idle = intersect(facts.empty_idle, pinning.during)
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=total_ns(idle))
    yield window_finding(
        _CODE,
        place="",
        severity=severity_of(facts, saving),
        count=len(pinning.rows),
        removal="rewrite",
        saving=saving if facts.device_is_known else None,
        confidence="high" if len(facts.steps) > 1 else "low",
        evidence=row_evidence(facts, "call", pinning.rows),
        figures=Pinning(total_ns(pinning.during), calls_per_step=len(pinning.rows) / steady),
    )


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("waits",), find=find, passing=events_in_steps, needs=(STEPS,)
)


_OPS = r"aten::_?pin_memory$"
_CALLS = r"(?:cuda|hip)Host(?:Alloc|Malloc|Register)"


@dataclass(frozen=True, slots=True, eq=False)
class PinningCalls:
    rows: Int64s
    """Outermost ones, ascending by start; in a step, but not in the first of several."""
    step: Int64s
    during: Intervals


def find_pinning(facts: Facts) -> PinningCalls:
    """The pinning on the training lanes, without what the data loader pins for them."""
    trace, slices = facts.trace, facts.trace.slices
    ops = matching_rows(trace, _OPS, Category.CPU_OP)
    calls = matching_rows(trace, _CALLS, Category.RUNTIME)
    loading = matching_rows(trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)
    inside_loader = union(slices.start_ns[loading], slices.end_of(loading))
    rows = np.concatenate([ops, calls])
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    start = slices.start_ns[rows]
    step = facts.steps.index_of(start)
    set_up = (step == 0) & (len(facts.steps) > 1)
    loads = overlap_ns(inside_loader, start, start + 1) > 0
    rows = rows[(step != NONE) & ~set_up & ~loads]
    rows = rows[np.lexsort((-slices.duration_ns[rows], slices.start_ns[rows]))]
    start, end = slices.start_ns[rows], slices.end_of(rows)
    before = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(end)[:-1]])[: len(rows)]
    outermost = rows[start >= before]
    return PinningCalls(outermost, facts.steps.index_of(slices.start_ns[outermost]), union(start, end))
