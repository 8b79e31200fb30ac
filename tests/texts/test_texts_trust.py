"""How far figures can be trusted, in words."""

from __future__ import annotations

import pytest

from tbprof.model import Numbers
from tbprof.texts.trust import trust_words


@pytest.mark.parametrize(
    ("code", "numbers", "figure"),
    [
        ("replay", {"error": 0.009}, "0.9\u202f% off"),
        ("replay_without_plan", {"error": 0.02}, "2.0\u202f% off"),
        ("replay_off", {"error": 0.116}, "12\u202f% off"),
        ("replay_none", {}, "none"),
        ("inflation", {"factor": 1.063, "profiled_us": 55_300.0, "unprofiled_us": 52_000.0}, "\u00d71.06"),
        ("inflation_none", {}, "not recorded"),
        ("cold", {"cold": 1, "steps": 6, "longest_us": 78_500.0}, "1 of 6"),
        ("cold_none", {"cold": 0, "steps": 6, "longest_us": 0.0}, "none"),
        ("own_sync", {"wait_us": 14_200.0}, "14.2\u202fms"),
        ("own_sync_none", {}, "none"),
    ],
)
def test_each_has_a_title_a_figure_and_a_sentence(code: str, numbers: Numbers, figure: str) -> None:
    title, shown, sentence = trust_words(code, numbers)
    assert title
    assert shown == figure
    assert sentence.endswith(".")


def test_an_estimate_is_called_uncalibrated() -> None:
    assert "uncalibrated" in trust_words("replay", {"error": 0.0})[2]


def test_a_single_step_can_not_be_told_to_be_cold() -> None:
    assert trust_words("cold_none", {"cold": 0, "steps": 1, "longest_us": 0.0})[2].startswith("With 1 step ")
