"""The line about a window, for who trains."""

from __future__ import annotations

from scenes import gpu_bound

from tbprof.cli.commands.publish import window_line

REPORT = gpu_bound().report()


def test_it_is_the_window_and_what_opens_its_screen() -> None:
    said = window_line(REPORT, "The GPU is idle 51 % of a step.", "First: read it later (train.py:56).")
    assert said == "window: The GPU is idle 51 % of a step.\n  First: read it later (train.py:56)."


def test_what_there_is_not_leaves_no_gap() -> None:
    assert window_line(REPORT, "The GPU is busy.", "") == "window: The GPU is busy."
    assert window_line(REPORT, "") == "window: nothing is to be said of it."
