"""The answers that `npm run dev` shows are those of the plugin today."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from dev_answers import ANSWERS, Answers, record, written

HOW = "run python tests/data/refresh_dev_answers.py"


@pytest.fixture(scope="module")
def recorded() -> Answers:
    return record()


def test_there_is_a_file_for_each_route(recorded: Answers) -> None:
    assert sorted(recorded) == sorted(path.stem for path in ANSWERS.glob("*.json")), HOW


def around(kept: str, fresh: str) -> tuple[str, str]:
    """Of two long lines what stands where they begin to differ."""
    at = next((at for at, (one, other) in enumerate(zip(kept, fresh, strict=False)) if one != other), 0)
    return kept[max(0, at - 120) : at + 80], fresh[max(0, at - 120) : at + 80]


def changed(kept: str, fresh: str) -> list[tuple[str, str]]:
    lines = zip_longest(kept.splitlines(), fresh.splitlines(), fillvalue="")
    return [around(*pair) for pair in lines if len(set(pair)) > 1]


def test_the_kept_answers_are_fresh(recorded: Answers) -> None:
    for path in sorted(ANSWERS.glob("*.json")):
        fresh = written(recorded[path.stem])
        assert changed(path.read_text(encoding="utf-8"), fresh) == [], f"{path.stem}: {HOW}"


def test_every_window_has_something_to_show(recorded: Answers) -> None:
    assert len(recorded["window"]) >= 8
    assert {answer["state"] for answer in recorded["window"].values()} == {"ready"}
    assert {answer["state"] for answer in recorded["compare"].values()} == {"ready"}
