"""What is said of two windows beside each other."""

from __future__ import annotations

from tbprof.texts.comparison import (
    alike_sentence,
    cause_sentence,
    comparison_sentence,
    difference_sentence,
    figure_words,
    moved_wait_sentence,
    recorded_steps_sentence,
    unprofiled_steps_sentence,
)


def test_a_wait_that_moved_has_both_places_and_what_it_came_to() -> None:
    said = moved_wait_sentence("train.py:41", "train.py:77", -1_200.0)
    assert said.startswith("The wait moved from train.py:41 to train.py:77: net \u22121.2\u202fms of waits")
    assert "net +1.2\u202fms" in moved_wait_sentence("a", "b", 1_200.0)
    assert "net 0." in moved_wait_sentence("a", "b", -0.4)


def test_no_noise_is_made_up_for_a_single_step() -> None:
    assert recorded_steps_sentence(1, 4_400.0, None) == "1 step of 4.4\u202fms, its noise not known"
    assert recorded_steps_sentence(3, 4_400.0, 100.0) == "median 4.4\u202fms ± 0.1\u202fms of 3 steps"
    said = comparison_sentence(4_400.0, 648_800.0, is_told=None, is_unprofiled=False)
    lengths = "4.4\u202fms before, 648.8\u202fms after"
    assert said == f"With a single steady step the noise is unknown: {lengths}, 147 times as long."


def test_steps_without_the_profiler_are_called_so() -> None:
    said = comparison_sentence(4_000.0, 5_000.0, is_told=True, is_unprofiled=True)
    assert said.startswith("A step is 25\u202f% longer") and said.endswith(", without the profiler.")
    assert unprofiled_steps_sentence(4_000.0, 3_900.0, 4_200.0).startswith("median 4.0\u202fms, half of")


def test_a_cause_that_went_is_named_with_what_it_took() -> None:
    said = cause_sentence("data", 35_000, 300)
    assert said == "The GPU no longer waits for data: 35.0\u202fms before, 0.3\u202fms after, a step."
    assert cause_sentence("compile", 5_000, 0).startswith("Compiling is gone: ")
    assert "\u201cHost is late to launch\u201d grew most" in cause_sentence("launch", 16_000, 31_000)


def test_a_difference_is_real_only_beyond_the_noise() -> None:
    assert difference_sentence(-5_700, 400).endswith("can be noise: the difference is real.")
    assert difference_sentence(300, 400).endswith("can be noise: this may be none.")
    assert difference_sentence(300, None).endswith("a single step does not show how much of that is noise.")


def test_what_the_plan_said_stands_beside_the_step() -> None:
    assert figure_words("step", 7_800.0)[1].endswith("the plan before said \u22127.8\u202fms")
    assert figure_words("step", None) == ("Step, mean", "what a change gives")


def test_many_equal_conditions_are_counted() -> None:
    assert alike_sentence(()) == ""
    assert alike_sentence(("torch", "driver")) == "The same on both sides: torch, driver."
    assert alike_sentence(tuple("abcdefgh")).endswith("a, b, c, d, e, f and 2 more.")


def test_a_single_step_may_differ_as_two_recordings_do() -> None:
    said = comparison_sentence(500_000.0, 518_000.0, is_told=None, is_unprofiled=False)
    assert said.endswith("after, no more than two recordings of one program differ by.")
    said = comparison_sentence(500_000.0, 479_000.0, is_told=None, is_unprofiled=False)
    assert said.endswith("479.0\u202fms after, 4.2\u202f% shorter.")
