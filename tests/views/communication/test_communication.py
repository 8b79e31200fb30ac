"""The view of a rank's communication, and its table."""

from __future__ import annotations

from communication_scenes import exchanging
from trace_builder import TraceBuilder

from tbprof.model import Report
from tbprof.views.communication import CommunicationView, communication_view


def view_of(report: Report) -> CommunicationView:
    view = communication_view(report)
    assert view is not None
    return view


def test_it_opens_with_what_nothing_covers_of_a_step() -> None:
    view = view_of(exchanging(2_000, elements=1_000).report())
    assert view.sentence == "20\u202f% of a step, 2.0\u202fms, is communication that no computing covers."
    assert (view.exposed_us, view.overlapped_us, view.detail) == (2_000, 0, "")
    assert view.not_recorded == ""


def test_columns_that_were_not_recorded_are_named() -> None:
    view = view_of(exchanging(2_000).report())
    assert view.not_recorded.startswith("Not recorded for all of them: group, type, size, bus bandwidth.")
    assert (view.rows[0].group, view.rows[0].bytes_in, view.rows[0].bus_gb_s) == (None, None, None)


def test_a_rank_alone_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(1, 2, runs=(20, 30))
    report = built.report()
    assert communication_view(report) is None
