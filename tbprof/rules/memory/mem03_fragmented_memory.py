"""Memory is fragmented: much of it lies unused while the allocator takes more.

What
    The allocator took a large block from the device although its cache held more free bytes than that: they
    lay in pieces too small for it, or on another stream.

Why
    What is cached and does not fit is lost to the program until the cache is emptied. A batch that would fit
    runs out of memory, or the allocator empties its cache in the step (MEM02).

Example
    before:
        import torch
    after:
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
        import torch

Action
    Let the allocator's segments grow.

Fix
    Set `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, keep the sizes of batches alike, and allocate what
    lives long before the loop.
    caveat: with CUDA IPC and with some drivers expandable segments do not work.

Silent
    Not reported for the first of several steps, in which memory is set up, for blocks of up to 20 MiB,
    which the allocator takes for small tensors whatever else is free, or if less than a tenth of what it
    holds was free. Which bytes are adjacent is not recorded: a snapshot of the allocator shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.memory_blocks import MemoryCurve, allocating_calls, window_curves, window_memory
from tbprof.analysis.figures.operators import find_operators
from tbprof.model import Finding
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.memory.words import Fragmented, Reserved
from tbprof.trace.columns.arrays import NONE, Int64s

_CODE = "MEM03"

LARGE_SEGMENT_BYTES = 20 << 20
"""What torch's allocator takes at most for a tensor below 10 MiB (`kLargeBuffer`)."""
FREE_SHARE = 0.1
"""The share of what is reserved from which it can be worth another batch size."""


def find(facts: Facts) -> Iterator[Finding]:
    for curve in _curves(facts):
        grown = _fragmented(facts, curve)
        if len(grown):
            yield _finding(facts, curve, grown)


def _curves(facts: Facts) -> tuple[MemoryCurve, ...]:
    curves = facts.once(window_curves)
    return tuple(curve for curve in curves if curve.reserved_bytes is not None and curve.is_recorded)


def _reserved(curve: MemoryCurve) -> Int64s:
    assert curve.reserved_bytes is not None, "asked of devices that have it"
    return curve.reserved_bytes


def _free_before(curve: MemoryCurve) -> Int64s:
    """What the cache held before each event; 0 for the first, of which it is not known."""
    free = np.roll(_reserved(curve) - curve.allocated_bytes, 1)
    free[:1] = 0
    return free


def _fragmented(facts: Facts, curve: MemoryCurve) -> Int64s:
    """Events at which more was taken from the device while as much lay in the cache."""
    reserved, free = _reserved(curve), _free_before(curve)
    growth = np.diff(reserved, prepend=reserved[:1])
    step = facts.steps.index_of(curve.time_ns)
    is_steady = (step > 0) | ((len(facts.steps) == 1) & (step != NONE))
    is_large = (growth > LARGE_SEGMENT_BYTES) & (free >= growth)
    return np.flatnonzero(is_steady & is_large & (free >= FREE_SHARE * reserved))


def _finding(facts: Facts, curve: MemoryCurve, grown: Int64s) -> Finding:
    reserved, free = _reserved(curve), _free_before(curve)
    worst = int(grown[int(free[grown].argmax())])
    device = next(device for device in facts.once(window_memory) if device.curve is curve)
    calls = allocating_calls(facts, device)[grown]
    rows = facts.once(find_operators).rows[calls[calls != NONE]]
    return window_finding(
        _CODE,
        place=curve.device,
        severity="low",
        count=len(grown),
        removal="rewrite",
        saving=None,
        confidence="medium",
        evidence=row_evidence(facts, "op", rows),
        figures=Fragmented(
            device=curve.device,
            free_bytes=int(free[worst]),
            reserved_bytes=int(reserved[worst]),
            taken_bytes=int(reserved[worst] - reserved[worst - 1]),
        ),
    )


def _looked_at(facts: Facts) -> Reserved | None:
    curves = _curves(facts)
    if not curves:
        return None
    fullest = max(curves, key=lambda curve: int(_reserved(curve).max()))
    reserved_bytes = int(_reserved(fullest).max())
    given_bytes = int(fullest.allocated_bytes.max())
    return Reserved(reserved_bytes, share=given_bytes / reserved_bytes)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=_looked_at,
    needs=(Need("memory events of a GPU", lambda facts: bool(_curves(facts))),),
    no_saving="it frees memory, and no time is known to go with it",
)
