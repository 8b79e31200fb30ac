"""What to do about a finding, in a sentence."""

from __future__ import annotations

from tbprof.texts.actions import first_action_sentence, how_to, place_of, smaller_sentence
from tbprof.texts.figures.places import scope_of
from tbprof.texts.rule_pages import RuleText, all_rules, rule_text


def is_one_sentence_with_whole_code(page: RuleText) -> bool:
    said = how_to(page)
    return said.endswith(".") and said.count("`") % 2 == 0 and page.fix.startswith(said[:-1])


def test_how_to_is_one_sentence_with_whole_code() -> None:
    assert [page.code for page in all_rules() if not is_one_sentence_with_whole_code(page)] == []


def test_a_full_stop_inside_of_code_ends_nothing() -> None:
    assert how_to(rule_text("CPY03")).startswith(
        "Register it as a buffer of the module, which moves with `.to(device)`"
    )


def test_the_first_action_names_its_place_and_its_figure() -> None:
    said = first_action_sentence("Keep it", "train.py:12", saved_us=1_000, most_us=2_000, step_us=10_000)
    assert said.replace("\u202f", " ") == "First: keep it (train.py:12): saves about 1.0 ms of 10.0 ms."
    said = first_action_sentence("Keep it", "", saved_us=None, most_us=2_000, step_us=10_000)
    assert said.replace("\u202f", " ") == "First: keep it: up to 2.0 ms of 10.0 ms."


def test_several_places_are_counted() -> None:
    assert place_of([]) == ""
    assert place_of(["a.py:1"]) == "a.py:1"
    assert place_of(["a.py:1", "a.py:1"]) == "a.py:1"
    assert place_of(["a.py:1", "b.py:2", "c.py:3"]) == "a.py:1 and 2 more places"


def test_smaller_changes_are_added_up() -> None:
    step, window = scope_of(marks_steps=True), scope_of(marks_steps=False)
    said = smaller_sentence(3, step, added_us=500, then_us=9_000, is_most=True).replace("\u202f", " ")
    assert said == "3 smaller changes, not listed, together add 0.5 ms: a step then takes at most 9.0 ms."
    said = smaller_sentence(1, window, added_us=500, then_us=9_000, is_most=False)
    assert said.replace("\u202f", " ") == (
        "1 smaller change, not listed, adds 0.5 ms: the window then takes 9.0 ms."
    )
