"""Record the answers that `npm run dev` shows: `python tests/data/refresh_dev_answers.py`.

A test compares them with what the tab is sent today.
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

from dev_answers import ANSWERS, record, written


def refresh() -> None:
    ANSWERS.mkdir(parents=True, exist_ok=True)
    for old in ANSWERS.glob("*.json"):
        old.unlink()
    for route, answers in record().items():
        (ANSWERS / f"{route}.json").write_text(written(answers), encoding="utf-8")


if __name__ == "__main__":
    refresh()
