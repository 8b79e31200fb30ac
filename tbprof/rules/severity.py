"""How bad a finding is: the share of a median warm step that mending it wins.

By the estimate; without one by the floor, while a ceiling alone gives at most medium. A
finding is info where the device hardly ever runs dry, or nothing can be won. The shares are
those of xprof's step-time classes.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import SEVERITIES, Saving, Severity

__all__ = ["CRITICAL_SHARE", "HIGH_SHARE", "MEDIUM_SHARE", "PACING_SHARE", "severity_of", "severity_of_share"]

CRITICAL_SHARE = 0.10
HIGH_SHARE = 0.03
MEDIUM_SHARE = 0.01

PACING_SHARE = 0.01
"""With less empty idle than this part of the steps, the host's waits only pace it."""


def severity_of(facts: Facts, saving: Saving) -> Severity:
    steps = facts.steps
    duration = steps.end_ns - steps.start_ns
    total = int(duration.sum())
    if saving.ceiling_ns == 0 or total == 0 or facts.empty_idle_ns < PACING_SHARE * total:
        return "info"
    warm = duration[~np.array(steps.cold)]
    step_ns = float(np.median(warm))
    by_floor, by_ceiling = (
        severity_of_share(ns / len(steps) / step_ns) for ns in (saving.floor_ns, saving.ceiling_ns)
    )
    if saving.estimate_ns is not None:
        return severity_of_share(saving.estimate_ns / len(steps) / step_ns)
    capped: Severity = "medium" if by_ceiling in ("critical", "high") else by_ceiling
    return min(by_floor, capped, key=SEVERITIES.index)


def severity_of_share(share: float) -> Severity:
    """The class of a saving that is this share (0 to 1) of a step."""
    if share >= CRITICAL_SHARE:
        return "critical"
    if share >= HIGH_SHARE:
        return "high"
    return "medium" if share >= MEDIUM_SHARE else "low"
