"""Copies by kind, and how their lines asked for them."""

from __future__ import annotations

import pytest
from report_samples import changed

from tbprof.model import CopyTotal, RecordedCall, Source
from tbprof.views.copies import CopyRow, bytes_per_s, copy_rows, non_blocking_of

SOURCE = Source("train.py", 12, "train", exact=True, candidates=())


def row(*, wait_ns: int | None, device_ns: int | None) -> CopyRow:
    total = CopyTotal("DtoH", "pageable", 1, 6_400_000, 1, wait_ns, device_ns, device_ns, None)
    [shown] = copy_rows(changed(copies=(total,)))
    return shown


def call(line: int, *, non_blocking: bool | None) -> RecordedCall:
    return RecordedCall("train.py", line, "train", "to", 1, ("cpu", "cuda:0"), None, non_blocking)


def test_a_wait_far_longer_than_the_copy_is_told_apart() -> None:
    shown = row(wait_ns=10_000_000, device_ns=500_000)
    assert shown.remark.startswith("The 10.0\u202fms are not the copies: the 6.4\u202fMB take 0.5\u202fms")
    assert row(wait_ns=1_500_000, device_ns=500_000).remark == ""


def test_what_an_older_report_lacks_stays_unknown() -> None:
    shown = row(wait_ns=None, device_ns=None)
    assert (shown.wait_us, shown.device_us, shown.bytes_per_s, shown.remark) == (None, None, None, "")


def test_speed_is_bytes_over_device_time() -> None:
    assert bytes_per_s(12_000, 1_000) == 12e9
    assert bytes_per_s(12_000, 0) is None


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((), None),
        ((call(12, non_blocking=True),), True),
        ((call(12, non_blocking=False), call(13, non_blocking=True)), False),
        ((call(12, non_blocking=True), call(12, non_blocking=False)), None),
        ((call(12, non_blocking=None),), None),
    ],
)
def test_a_line_says_how_it_asked(calls: tuple[RecordedCall, ...], expected: bool | None) -> None:
    assert non_blocking_of(SOURCE, calls) is expected


def test_a_def_stands_for_its_candidates() -> None:
    inexact = Source("train.py", 10, "train", exact=False, candidates=(12, 14))
    assert non_blocking_of(inexact, (call(14, non_blocking=True),)) is True
    assert non_blocking_of(inexact, (call(10, non_blocking=True),)) is None
    assert non_blocking_of(None, (call(10, non_blocking=True),)) is None
