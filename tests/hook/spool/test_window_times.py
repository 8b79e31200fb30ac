"""Each window of a process has a later time than the one before."""

from __future__ import annotations

from pathlib import Path

from tbprof.hook.window.spooled_windows import WindowTimes


def test_a_clock_that_goes_on_is_believed_and_any_other_is_not() -> None:
    times = WindowTimes()
    clock = (1752215573993169006, 1752215573993169006, 1700000000000000000, 1752215573993170000)
    named = [times.named(Path(f"recording/host_1.{time_ns}.pt.trace.json")) for time_ns in clock]
    told = (1752215573993169006, 1752215573993169007, 1752215573993169008, 1752215573993170000)
    assert named == [f"host_1.{time_ns}.pt.trace.json" for time_ns in told]
