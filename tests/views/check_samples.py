"""Findings to be judged, and the answer that comes of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tbprof.views.check import Accepted, Budget, CheckView, Found, Recording, Warned
from tbprof.views.check_building import check_view

__all__ = ["FOUND", "accepted", "answer", "found", "recording"]

FOUND = Found(
    fingerprint="0123456789abcdef",
    rule="SYN01",
    kind="scalar_read",
    title="A scalar is read back in the step",
    fix="Add up on the device and read rarely.",
    file="train.py",
    line=12,
    function="step",
    code="total += loss.item()",
    ops=("aten::_local_scalar_dense", "aten::item"),
    per_step=1,
    suppressed=None,
    predicted=False,
)


def found(**changes: object) -> Found:
    return dataclasses.replace(FOUND, **changes)


def recording(*findings: Found, sync_points: int = 1, warned: tuple[Warned, ...] = ()) -> Recording:
    return Recording("w.1.trace.json.gz", False, sync_points, findings, warned)


def accepted(finding: Found = FOUND, **changes: object) -> Accepted:
    line = Accepted(finding.fingerprint, finding.rule, finding.file, finding.function, finding.per_step, "")
    return dataclasses.replace(line, **changes)


def answer(
    *recordings: Recording,
    baseline: Sequence[Accepted] = (),
    forbidden: Sequence[str] = (),
    budgets: Sequence[Budget] = (),
) -> CheckView:
    return check_view(recordings, baseline, forbidden=forbidden, budgets=budgets)
