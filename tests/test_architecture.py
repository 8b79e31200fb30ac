"""ARCHITECTURE names folders that exist, and each word of its glossary is one of the code."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "tbprof"
ARCHITECTURE = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_WORDS = 40
LEAST_FILES = 3

FORMER = (
    *("foretold", "mended", "aftermath", "farewell", "giving_way"),
    *("living_objects", "stretched_launches", "feeding_waits", "surroundings", "adopt_windows"),
)
"""Words that others have taken the place of."""


def glossary() -> list[str]:
    table = ARCHITECTURE.partition("## Words")[2]
    return [word for word in re.findall(r"^\| ([a-z ]+) \|", table, re.MULTILINE) if word != "word"]


@cache
def sources() -> dict[str, str]:
    paths = [path for path in PACKAGE.rglob("*.py") if not path.name.endswith("_pb2.py")]
    return {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8").lower() for path in paths}


def files_with(word: str) -> list[str]:
    """A word may be part of a name, and end as its plural or its verb does."""
    stem = re.escape(word).replace(r"\ ", "[ _]")
    pattern = re.compile(rf"(?<![a-z]){stem}(?:s|es|ed|d|ing)?(?![a-z])")
    return [path for path, text in sources().items() if pattern.search(text)]


def test_the_glossary_is_short() -> None:
    words = glossary()
    assert 20 < len(words) <= MOST_WORDS
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("word", glossary())
def test_each_word_of_the_glossary_is_used(word: str) -> None:
    assert len(files_with(word)) >= LEAST_FILES


@pytest.mark.parametrize("word", FORMER)
def test_no_former_word_is(word: str) -> None:
    assert files_with(word) == []


def test_every_path_is_there() -> None:
    named = re.findall(r"`([a-z_./]+(?:/|\.py|\.proto))`", ARCHITECTURE)
    assert len(named) > 10
    missing = [
        name for name in named if not (PACKAGE / name).exists() and not (PACKAGE.parent / name).exists()
    ]
    assert missing == []


def test_every_folder_of_the_package_is_named() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {folder for folder in folders if f"{folder}/" not in ARCHITECTURE} == set()
