"""Findings to be judged, and the answer that comes of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tbprof.views.check import Accepted, Baseline, Budget, CheckView, Found, Recording, Warned
from tbprof.views.check_view import check_view

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
    is_in_every_step=True,
    suppressed=None,
    predicted=False,
)


def found(**changes: object) -> Found:
    return dataclasses.replace(FOUND, **changes)


def recording(
    *findings: Found, sync_points: int = 1, warned: tuple[Warned, ...] = (), **changes: object
) -> Recording:
    made = Recording("w.1.trace.json.gz", False, sync_points, 3, findings, warned)
    return dataclasses.replace(made, **changes)


def accepted(finding: Found = FOUND, **changes: object) -> Accepted:
    place = (finding.file, finding.function, finding.code)
    line = Accepted(finding.fingerprint, finding.rule, *place, finding.per_step, "")
    return dataclasses.replace(line, **changes)


def answer(
    *recordings: Recording,
    baseline: Sequence[Accepted] = (),
    forbidden: Sequence[str] = (),
    budgets: Sequence[Budget] = (),
    of_first_steps: bool = True,
) -> CheckView:
    known = Baseline(tuple(baseline), steps=3, is_former=False, is_of_first_steps=of_first_steps)
    return check_view(recordings, known, forbidden=forbidden, budgets=budgets)
