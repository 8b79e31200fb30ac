"""The answers that `npm run dev` shows are those of the plugin today."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

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


@pytest.mark.parametrize("path", sorted(ANSWERS.glob("*.json")), ids=lambda path: path.stem)
def test_the_kept_answers_are_fresh(recorded: Answers, path: Path) -> None:
    kept = path.read_text(encoding="utf-8").splitlines()
    fresh = written(recorded[path.stem]).splitlines()
    assert [around(*pair) for pair in zip_longest(kept, fresh, fillvalue="") if len(set(pair)) > 1] == [], HOW


def test_every_window_has_something_to_show(recorded: Answers) -> None:
    assert len(recorded["window"]) >= 8
    assert {answer["state"] for answer in recorded["window"].values()} == {"ready"}
    assert {answer["state"] for answer in recorded["compare"].values()} == {"ready"}
