"""Where the steps of two windows go, as bars on one axis."""

from __future__ import annotations

import dataclasses

from report_samples import changed, step

from tbprof.model import Report
from tbprof.views.comparison import CompareBars, compare_bars


def idle_for(**by_cause_ns: int) -> Report:
    """One step of 10 ms on one device; 1 ms of it copies."""
    one = dataclasses.replace(
        step(0, 10_000_000),
        device_idle_ns=sum(by_cause_ns.values()),
        copying_ns=1_000_000,
        idle_by_cause=by_cause_ns,
    )
    return changed(steps=(one,))


def compared(before: Report, after: Report) -> CompareBars | None:
    return compare_bars(before, after)


def test_causes_of_both_sides_are_stacked_in_one_order() -> None:
    bars = compared(idle_for(launch=2_000_000), idle_for(sync=3_000_000, launch=1_000_000))
    assert bars is not None
    assert bars.before is not None
    assert bars.after is not None
    assert [row.cause for row in bars.causes] == ["sync", "launch"]
    assert (bars.before.idle_us, bars.after.idle_us) == ((0.0, 2_000.0), (3_000.0, 1_000.0))
    assert (bars.after.device.computing_us, bars.after.device.copying_us) == (5_000.0, 1_000.0)
    assert bars.longest_us == bars.before.step_us == 10_000.0


def test_a_side_without_a_device_has_no_bar() -> None:
    bars = compared(idle_for(sync=1), changed(idle=None))
    assert bars is not None
    assert bars.after is None
    assert compared(changed(idle=None), changed(idle=None)) is None
