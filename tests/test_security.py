"""SECURITY.md names a test for each of its promises."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_test_that_it_names_is_there() -> None:
    text = (REPOSITORY / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    named = [found for row in rows for found in NAMED.findall(row)]
    assert len(named) == len(rows)
    missing = [
        f"{file}::{name}"
        for file, name in named
        if f"\ndef {name}(" not in (REPOSITORY / file).read_text(encoding="utf-8")
    ]
    assert missing == []
