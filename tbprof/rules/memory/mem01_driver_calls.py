"""The allocator still asks the driver for memory when training is under way.

What
    In steps that should run from torch's cache, device memory is allocated by the driver, or given back to
    it: no cached block fits what the step asks for.

Why
    `cudaMalloc` and `cudaFree` take tens of microseconds to milliseconds on the thread that should launch,
    and a free waits for the whole device. A cache in steady state needs neither.

Example
    before:
        batch = pad(texts, to=max(len(text) for text in texts))
    after:
        batch = pad(texts, to=128 * math.ceil(max(len(text) for text in texts) / 128))

Action
    Keep the sizes that a step allocates the same.

Fix
    Pad to few sizes, run the largest batch first, or set `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`.
    caveat: padding computes more; expandable segments do not work with every driver.

Silent
    Not reported for windows of fewer than three steps, for the first half of the steps, in which memory is
    set up, or if fewer than two of the other steps, or fewer than half of them, do it. Also not reported
    for steps that empty the cache (MEM02), for pinned host memory (CPY11), for `cudaMallocAsync`, which has
    its own cache, or for what cuBLAS and cuDNN free while they create their handles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, intersect, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import events_on_device
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.memory import words
from tbprof.rules.memory.cache_flushes import find_cache_flushes
from tbprof.trace.columns.arrays import Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_CODE = "MEM01"

ENOUGH_STEPS = 3
"""One that sets memory up, and two that need not."""
MIN_STEPS = 2
"""A single step that allocates is the largest batch so far."""
STEADY_SHARE = 0.5
"""The share of the later half of the steps."""


def find(facts: Facts) -> Iterator[Finding]:
    calls = find_driver_calls(facts)
    held = len(distinct(calls.step))
    if held < max(MIN_STEPS, STEADY_SHARE * calls.steps):
        return
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=total_ns(calls.idle))
    place = most_in(facts, calls.rows)
    yield window_finding(
        _CODE,
        place=place,
        severity=severity_of_cause(facts, saving),
        count=len(calls.rows),
        removal="rewrite",
        saving=saving if facts.device_is_known else None,
        confidence="medium" if place else "low",
        evidence=row_evidence(facts, "call", calls.rows),
        figures=words.DriverCalls(
            place=place,
            calls_per_step=round(len(calls.rows) / calls.steps, 1),
            call_per_step_ns=int(facts.trace.slices.duration_ns[calls.rows].sum()) // calls.steps,
            idle_per_step_ns=total_ns(calls.idle) // calls.steps,
            retries=_retries(facts),
        ),
    )


def _retries(facts: Facts) -> int:
    """How often the cache was emptied in the window since memory was short, as torch counts it."""
    hook = facts.trace.facts
    return 0 if hook is None else hook.counters.get("allocator.num_alloc_retries", 0)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=events_on_device,
    needs=(Need("three steps", lambda facts: facts.steps.recorded and len(facts.steps) >= ENOUGH_STEPS),),
)


_CALLS = (
    r"(?:cuda|hip)(?:Malloc|Free)$"
    r"|(?:cu|hip)Mem(?:Create|Map|Unmap|Release|SetAccess|AddressReserve|AddressFree)$"
)
"""The second line is what expandable segments call. What allocates on a stream (`cudaMallocAsync`) has a
cache in the driver, and pinned host memory is another matter."""


@dataclass(frozen=True, slots=True, eq=False)
class DriverCalls:
    """The calls of the training lanes, in the later half of the steps, without those that hold a flush of the
    cache.
    """

    rows: Int64s
    step: Int64s
    steps: int
    """How many steps were looked at."""
    idle: Intervals
    """Idle of the busiest device during these calls, caused by the allocator."""


def find_driver_calls(facts: Facts) -> DriverCalls:
    """What is allocated in the first half sets memory up: a cache that fills comes to rest."""
    slices, first = facts.trace.slices, max(len(facts.steps) // 2, 1)
    flushes = find_cache_flushes(facts)
    others = np.concatenate([flushes.frames, flushes.frees, flushes.mallocs])
    flushed = distinct(facts.steps.index_of(slices.start_ns[others]))
    rows = matching_rows(facts.trace, _CALLS, Category.RUNTIME)
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    rows = rows[~is_among(rows, facts.frees.of_handles)]
    step = facts.steps.index_of(slices.start_ns[rows])
    kept = (step >= first) & ~is_among(step, flushed)
    rows, step = rows[kept], step[kept]
    during = union(slices.start_ns[rows], slices.end_of(rows))
    return DriverCalls(
        rows=rows,
        step=step,
        steps=max(len(facts.steps) - first, 0),
        idle=intersect(facts.idle_of("allocator"), during),
    )


def most_in(facts: Facts, rows: Int64s) -> str:
    """The code in which these calls took longest; "" where none of it is known."""
    slices, spent = facts.trace.slices, Counter[str]()
    names = facts.places.names(slices.start_ns[rows], slices.end_of(rows))
    for name, duration_ns in zip(names, slices.duration_ns[rows].tolist(), strict=True):
        spent[name] += duration_ns
    spent.pop("", None)
    return min(spent, key=lambda name: (-spent[name], name), default="")
