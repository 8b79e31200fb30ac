"""GPU memory is freed and allocated again in the step.

What
    `torch.cuda.empty_cache()` is called in the training loop, or the device's memory is so full that
    the allocator empties its cache by itself: blocks are freed and soon allocated again. Where the driver
    allocates and frees each tensor, about as often as kernels run, the caching allocator is off.

Why
    Freeing waits for the whole device, and each new block is a slow call of the driver. Meanwhile
    nothing is launched, and the cache that makes allocation cheap is gone.

Example
    before:
        for batch in loader:
            train_step(batch)
            torch.cuda.empty_cache()
    after:
        for batch in loader:
            train_step(batch)

Action
    Keep GPU memory instead of freeing it in the step.

Fix
    Remove `torch.cuda.empty_cache()` where your step calls it; if it does not, memory is short: set
    `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, or make the batch smaller. Where the cache is off,
    unset PYTORCH_NO_CUDA_MEMORY_CACHING and, on ROCm, PYTORCH_NO_HIP_MEMORY_CACHING (ENV05).
    caveat: without the call more memory stays reserved, and another process on the device may miss it.

Silent
    Not reported for the first of several steps, in which memory is set up, for a single freed block, for
    memory that is not allocated again in the same or the next step, or for what cuBLAS and cuDNN free while
    they create their handles. At most low if first calls hold more of the idle time, because memory is set
    up then, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import largest_cause
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import total_ns
from tbprof.model import SEVERITIES, Finding, Saving, Severity
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding, with_remedy
from tbprof.rules.base.passing import events_on_device
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.memory import words
from tbprof.rules.memory.cache_flushes import CacheFlushes, find_cache_flushes

_CODE = "MEM02"
_CACHE_OFF = "ENV05"


def find(facts: Facts) -> Iterator[Finding]:
    flushes = find_cache_flushes(facts)
    calls = np.concatenate([flushes.frees, flushes.mallocs])
    if len(calls) + len(flushes.frames):
        yield _finding(facts, flushes, calls if len(calls) else flushes.frames)


def _finding(
    facts: Facts, flushes: CacheFlushes, rows: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Finding:
    idle_ns = total_ns(flushes.idle)
    won_ns = max(idle_ns, earlier_host_ns(facts, flushes.calls))
    seen, won = (Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ns) for ns in (idle_ns, won_ns))
    found = window_finding(
        _CODE,
        place="",
        severity=_severity(facts, seen),
        count=len(rows),
        removal="rewrite",
        saving=won,
        confidence="high" if len(flushes.frames) else "medium",
        evidence=row_evidence(facts, "call", rows),
        figures=words.CacheFlushes(
            empty_cache_calls=len(flushes.frames),
            frees=len(flushes.frees),
            allocations=len(flushes.mallocs),
            call_ns=int(facts.trace.slices.duration_ns[rows].sum()),
            is_uncached=flushes.is_uncached,
        ),
    )
    return with_remedy(found, fixed_as=_CACHE_OFF if flushes.is_uncached else "")


def _severity(facts: Facts, saving: Saving) -> Severity:
    """At most low beside longer first calls: then memory is set up with the rest."""
    at_most: Severity = "low" if largest_cause(facts) == "loading" else "critical"
    return max(severity_of_cause(facts, saving), at_most, key=SEVERITIES.index)


RULE = Rule(code=_CODE, effect="earlier_host", find=find, passing=events_on_device)
