"""The GPU waits for the next batch.

What
    The step asks the DataLoader for its next batch, the batch is not ready, and the device runs dry
    while the host waits for it.

Why
    The loader makes batches more slowly than the device uses them up. A faster model makes such a step no
    faster: the device idles until the batch is there.

Example
    before:
        loader = DataLoader(data, batch_size=128, num_workers=1)
    after:
        loader = DataLoader(data, batch_size=128, num_workers=8, prefetch_factor=4, pin_memory=True)

Action
    Prepare batches faster, with more loader workers.

Fix
    Give the loader more workers and a deeper prefetch; then move decoding and augmentation to the
    device, or store the data in the form in which it is read.
    caveat: each worker takes a core and memory of its own; more workers than cores make it slower.

Silent
    Not reported if calls of the loader leave the device idle for less than 5 % of the steps: a call costs
    nothing while the device is busy. The time that even a ready batch takes is not counted as saved.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import total_ns
from tbprof.model import Finding
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding, with_remedy
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.input.loader_calls import (
    STARVED_SHARE,
    LoaderCalls,
    find_loader_calls,
    is_single_process,
    loader_savings,
    loading,
    slowest_function,
)
from tbprof.rules.input.words import Starvation
from tbprof.trace.columns.arrays import NONE

_CODE = "DAT01"


def find(facts: Facts) -> Iterator[Finding]:
    calls = find_loader_calls(facts)
    if calls.share < STARVED_SHARE:
        return
    seen, saving = loader_savings(facts, calls)
    found = window_finding(
        _CODE,
        place="",
        severity=severity_of_cause(facts, seen),
        count=len(calls.rows),
        removal="rewrite",
        saving=saving,
        confidence="high",
        evidence=idle_evidence(facts, calls.idle),
        figures=_idle(facts, calls),
    )
    yield with_remedy(found, fixed_as="DAT02" if is_single_process(calls) else "")


def _idle(facts: Facts, calls: LoaderCalls) -> Starvation:
    """The idle of a step on average, its share, and the site whose wait drained the queue before."""
    drained_by = None if calls.drained_by == NONE else calls.drained_by
    place, share = slowest_function(facts, calls, calls.idle)
    return Starvation(total_ns(calls.idle) // len(facts.steps), calls.share, drained_by, place, share)


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("input",), find=find, passing=loading, needs=(GPU_WORK,)
)
