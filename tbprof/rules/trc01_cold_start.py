"""The window begins before the training is warm.

What
    The first recorded step takes longer than the others by half, or CUDA loads kernels inside the
    recorded steps: compilation, tuning and the first allocations fall into the window.

Why
    What happens once is shown as if it happened in each step. Steps that are cold are left out of
    the medians, but a window of few steps has little left then.

Example
    before:
        schedule = torch.profiler.schedule(wait=0, warmup=0, active=3)
    after:
        schedule = torch.profiler.schedule(wait=5, warmup=3, active=5)

Fix
    Let some steps pass before the window, with at least three of them as the profiler's warm-up.
    caveat: a model that is compiled anew for a new shape is cold again each time.

Silent
    Where no step is cold and loading takes under 1 % of the steps. Never more than info: nothing is
    won in the training itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.cold_start import find_cold_start
from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.rule import Rule, row_evidence, window_finding
from tbprof.rules.severity import MEDIUM_SHARE

__all__ = ["RULE"]

_CODE = "TRC01"


def find(facts: Facts) -> Iterator[Finding]:
    start = find_cold_start(facts)
    steps_ns = int((facts.steps.end_ns - facts.steps.start_ns).sum())
    if len(start.step_rows) == 0 and start.loading_ns < max(MEDIUM_SHARE * steps_ns, 1):
        return
    rows = np.concatenate([start.step_rows, start.loading_rows])
    yield window_finding(
        _CODE,
        place="",
        severity="info",
        count=len(rows),
        removal="needed",
        saving=None,
        confidence="high",
        evidence=row_evidence(facts, "cold", rows),
        numbers={
            "cold_steps": len(start.step_rows),
            "first_step_ns": start.first_step_ns,
            "median_step_ns": start.median_step_ns,
            "loading_ns": start.loading_ns,
        },
    )


RULE = Rule(code=_CODE, name="cold-start", needs=(), find=find, doc=__doc__)
