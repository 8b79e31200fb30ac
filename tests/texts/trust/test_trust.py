"""How far figures can be trusted, in words."""

from __future__ import annotations

import pytest

from tbprof.model import Numbers
from tbprof.texts.trust import trust_words

AFTER: Numbers = {
    "factor": 1.02,
    "limit": 1.1,
    "after_us": 51_000.0,
    "before_us": 50_000.0,
    "recorder": "CUPTI",
}


@pytest.mark.parametrize(
    ("code", "numbers", "figure"),
    [
        ("replay", {"error": 0.009}, "0.9\u202f% error"),
        ("replay_without_plan", {"error": 0.02}, "2.0\u202f% error"),
        ("replay_off", {"error": 0.116}, "12\u202f% error"),
        ("replay_none", {}, "none"),
        ("replay_without_device", {}, "none"),
        (
            "inflation",
            {"factor": 1.063, "devices": 1, "profiled_us": 55_300.0, "unprofiled_us": 52_000.0},
            "\u00d71.06",
        ),
        ("inflation", {"factor": 0.91, "profiled_us": 9_100.0, "unprofiled_us": 10_000.0}, "not at all"),
        ("inflation_none", {}, "not recorded"),
        ("after", AFTER, "\u00d71.02"),
        ("cold", {"cold": 1, "steps": 6, "longest_us": 78_500.0}, "1 of 6"),
        ("untypical", {}, "no"),
        ("cold_none", {"cold": 0, "steps": 6, "longest_us": 0.0}, "none"),
        ("own_sync", {"wait_us": 14_200.0}, "14.2\u202fms"),
        ("own_sync_none", {}, "none"),
        ("others", {"processes": 2}, "2"),
        ("others_none", {}, "none"),
        ("others_unseen", {}, "not recorded"),
        ("start", {"start_us": 740_000.0}, "740.0\u202fms"),
        ("fact_missing", {"fact": "call.to", "reason": "RuntimeError: no storage"}, "not recorded"),
    ],
)
def test_each_has_a_title_a_figure_and_a_sentence(code: str, numbers: Numbers, figure: str) -> None:
    title, shown, sentence = trust_words(code, numbers)
    assert title
    assert shown == figure
    assert sentence.endswith(".")


def test_steps_are_back_to_normal_or_are_said_not_to_be() -> None:
    assert trust_words("after", AFTER)[2].endswith("Back to normal.")
    assert "TEARDOWN_CUPTI=1" in trust_words("after", {**AFTER, "factor": 1.1})[2]
    for recorder in ("", "roctracer", "PTI"):
        assert "CUPTI" not in trust_words("after", {**AFTER, "factor": 1.1, "recorder": recorder})[2]


def test_a_step_that_is_shorter_while_recorded_is_noise() -> None:
    numbers: Numbers = {"factor": 0.91, "profiled_us": 9_100.0, "unprofiled_us": 10_000.0}
    sentence = trust_words("inflation", {**numbers, "devices": 1})[2]
    assert "how much steps vary" in sentence
    assert "too long" not in sentence


@pytest.mark.parametrize(("devices", "what"), [(1, "Gaps between launches"), (0, "The host's times")])
def test_what_the_profiler_inflates_depends_on_whether_there_is_a_gpu(devices: int, what: str) -> None:
    numbers: Numbers = {"factor": 1.2, "devices": devices, "profiled_us": 12.0, "unprofiled_us": 10.0}
    assert f"{what} are too long" in trust_words("inflation", numbers)[2]


def test_an_estimate_is_called_uncalibrated() -> None:
    assert "uncalibrated" in trust_words("replay", {"error": 0.0})[2]


def test_a_single_step_can_not_be_told_to_be_cold() -> None:
    assert trust_words("cold_unknown", {"steps": 1})[2].startswith("With 1 step ")
