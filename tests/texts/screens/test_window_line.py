"""The line about a window in the training's log."""

from __future__ import annotations

import dataclasses

from scenes import gpu_bound, host_bound
from trace_builder import TraceBuilder

from tbprof.model import Source
from tbprof.texts.screens.window_line import window_line


def test_it_says_how_idle_the_gpu_is_and_after_which_line_most() -> None:
    report = host_bound().report()
    (site,) = report.sites
    told = dataclasses.replace(site, source=Source("train.py", 56, "step", exact=True, candidates=()))
    assert report.idle is not None
    place = dataclasses.replace(report.idle.places[0], site=0, idle_ns=report.idle.total.device_ns)
    idle = dataclasses.replace(report.idle, places=(place,))
    known = dataclasses.replace(report, sites=(told,), idle=idle)
    assert window_line(known) == "window: GPU idle 51\u202f%, most of it after train.py:56"
    unknown = dataclasses.replace(report, idle=idle)
    assert window_line(unknown) == "window: GPU idle 51\u202f%, most of it after aten::item"


def test_without_a_place_that_has_most_of_it_no_place_is_named() -> None:
    assert window_line(gpu_bound().report()) == "window: GPU idle 0.3\u202f%"


def test_without_a_device_it_says_so() -> None:
    built = TraceBuilder()
    built.step(0, 0, 1000)
    assert window_line(built.report()) == "window: no GPU work was recorded"
