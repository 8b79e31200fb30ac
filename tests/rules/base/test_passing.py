"""What rules say that they looked at where they found nothing."""

from __future__ import annotations

from launch_scenes import hand_written_loss, pausing
from trace_builder import TraceBuilder

from tbprof.model import Report
from tbprof.views.checks import checks_view


def said(report: Report, rule: str) -> tuple[str, str]:
    row = next(row for row in checks_view(report).rows if row.rule == rule)
    return row.state, row.said


def test_a_rule_about_launches_speaks_of_its_own_idle_only() -> None:
    state, words = said(pausing(3_000).report(), "LCH01")
    assert state == "passed"
    assert words.startswith(
        "6 launches: those that follow one another at once leave the GPU idle for <1\u202f"
    )
    state, words = said(hand_written_loss().report(), "LCH02")
    assert state == "passed"
    assert words.endswith(" launches: pauses between them leave the GPU idle for 1\u202fµs a step.")


def test_a_window_without_launches_is_none_of_their_business() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.copy("HtoD", "pinned", 0, 1, runs=(2, 900))
    assert said(built.report(), "LCH01")[0] == "not_applicable"
