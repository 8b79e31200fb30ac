"""How far figures can be trusted, in words."""

from __future__ import annotations

import pytest

from tbprof.texts import trust
from tbprof.texts.trust import Words, after_words, inflation_words


def after(factor: float = 1.02, recorder: str = "CUPTI") -> Words:
    is_slower = factor >= 1.1
    return after_words(factor, is_slower=is_slower, recorder=recorder, after_us=51e3, before_us=50e3)


def inflation(factor: float, *, has_device: bool = True) -> Words:
    return inflation_words(factor, profiled_us=factor * 5e4, unprofiled_us=5e4, has_device=has_device)


@pytest.mark.parametrize(
    ("words", "figure"),
    [
        (trust.replay_words(0.009), "0.9\u202f% error"),
        (trust.replay_without_plan_words(0.02), "2.0\u202f% error"),
        (trust.replay_off_words(0.116), "12\u202f% error"),
        (trust.REPLAY_NONE, "none"),
        (trust.REPLAY_WITHOUT_DEVICE, "none"),
        (inflation(1.063), "\u00d71.06"),
        (inflation(0.91), "not at all"),
        (inflation(0.5), "can't tell"),
        (trust.INFLATION_NONE, "not recorded"),
        (after(), "\u00d71.02"),
        (trust.cold_words(1, 6, 78_500.0), "1 of 6"),
        (trust.UNTYPICAL, "no"),
        (trust.COLD_NONE, "none"),
        (trust.own_sync_words(14_200.0), "14.2\u202fms"),
        (trust.OWN_SYNC_NONE, "none"),
        (trust.others_words(2), "2"),
        (trust.OTHERS_NONE, "none"),
        (trust.OTHERS_UNSEEN, "not recorded"),
        (trust.start_words(740_000.0), "740.0\u202fms"),
        (trust.fact_missing_words("call.to", "RuntimeError: no storage"), "not recorded"),
    ],
)
def test_each_has_a_title_a_figure_and_a_sentence(words: Words, figure: str) -> None:
    title, shown, sentence = words
    assert title
    assert shown == figure
    assert sentence.endswith(".")


def test_steps_are_back_to_normal_or_are_said_not_to_be() -> None:
    assert after()[2].endswith("Back to normal.")
    assert "TEARDOWN_CUPTI=1" in after(1.1)[2]
    for recorder in ("", "roctracer", "PTI"):
        assert "CUPTI" not in after(1.1, recorder)[2]


def test_a_step_that_is_shorter_while_recorded_is_noise() -> None:
    sentence = inflation(0.91)[2]
    assert "how much steps vary" in sentence
    assert "too long" not in sentence


@pytest.mark.parametrize(
    ("has_device", "what"), [(True, "Gaps between launches"), (False, "The host's times")]
)
def test_what_the_profiler_inflates_depends_on_whether_there_is_a_gpu(has_device: bool, what: str) -> None:
    assert f"{what} are too long" in inflation(1.2, has_device=has_device)[2]


def test_an_estimate_is_called_uncalibrated() -> None:
    assert "uncalibrated" in trust.replay_words(0.0)[2]


def test_a_single_step_can_not_be_told_to_be_cold() -> None:
    assert trust.cold_unknown_words(1)[2].startswith("With 1 step ")
