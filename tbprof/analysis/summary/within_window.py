"""What holds of the figures of every report, whatever a trace holds; here for all findings at once.

A share is a part of something: it lies between 0 and 1. No saving is more than the window, nor that of a step
more than the step. Where each figure is made it holds for traces of sound recordings; of those that deny
themselves, by clocks that drift or rows that overlap, durations can add up to more than there was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tbprof.model import Check, Finding, Numbers

_SHARE = "share"


def findings_within(findings: Sequence[Finding], window_ns: int) -> tuple[Finding, ...]:
    """The same, each within a window of this length."""
    return tuple(
        dataclasses.replace(
            finding,
            saving=None if finding.saving is None else finding.saving.at_most(window_ns),
            numbers=_within(finding.numbers),
        )
        for finding in findings
    )


def checks_within(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The same, of what the rules looked at that found nothing."""
    return tuple(dataclasses.replace(check, numbers=_within(check.numbers)) for check in checks)


def _within(numbers: Numbers) -> Numbers:
    return {key: _part(value) if key.endswith(_SHARE) else value for key, value in numbers.items()}


def _part(value: float | str) -> float | str:
    return value if isinstance(value, str) or 0 <= value <= 1 else min(max(value, 0.0), 1.0)
