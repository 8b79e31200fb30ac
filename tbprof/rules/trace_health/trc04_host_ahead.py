"""A step on the host is not a step on the GPU.

What
    The work that a step launches ends on the device long after the step has ended on the host: the
    host runs ahead.

Why
    That is how it should be, and it means that the length of a single step on the host says little.
    Work shows in a later step than the one that launched it, and so does its idle.

Example
    before:
        started = time.perf_counter()
        train_step(batch)
        print(time.perf_counter() - started)
    after:
        started = time.perf_counter()
        for batch in batches:
            train_step(batch)
        torch.cuda.synchronize()
        print((time.perf_counter() - started) / len(batches))

Action
    Judge several steps together.

Fix
    Judge many steps together, and time them with one sync call after all of them.
    caveat: a sync call in each step makes the two agree, and the host can no longer run ahead.

Silent
    Not reported if the device ends each warm step within 10 % of its length. Always `info`: a host that
    runs ahead costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.steps import LAG_SHARE, gpu_lag_ns, rows_of_steps
from tbprof.model import Finding
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import GPU_WORK, STEPS, Rule
from tbprof.rules.trace_health.words import HostAhead

_CODE = "TRC04"


def find(facts: Facts) -> Iterator[Finding]:
    lag_ns = gpu_lag_ns(facts.work, facts.steps)
    if lag_ns is None:
        return
    share = lag_ns / np.maximum(facts.steps.end_ns - facts.steps.start_ns, 1)
    late = (share > LAG_SHARE) & ~np.array(facts.steps.cold)
    if not late.any():
        return
    worst = int(np.argmax(np.where(late, share, 0)))
    yield window_finding(
        _CODE,
        place="",
        severity="info",
        count=int(late.sum()),
        removal="needed",
        saving=None,
        confidence="high",
        evidence=row_evidence(facts, "step", rows_of_steps(facts.trace, facts.steps, late)),
        figures=_figures(int(late.sum()), int(lag_ns[worst]), float(share[worst])),
    )


def _figures(steps: int, worst_lag_ns: int, share: float) -> HostAhead:
    """The lag is a share of a step, or a number of steps where it is longer than one."""
    if share > 1:
        return HostAhead(steps, worst_lag_ns, worst_steps=share)
    return HostAhead(steps, worst_lag_ns, worst_share=share)


RULE = Rule(
    code=_CODE,
    find=find,
    passing=events_in_steps,
    no_saving="it says which steps the figures are of",
    needs=(GPU_WORK, STEPS),
)
