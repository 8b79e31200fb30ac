"""ARCHITECTURE is true: its paths exist, its words are those of the code, and its broad handlers are all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "tbprof"
ARCHITECTURE = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")


def glossary() -> list[str]:
    table = ARCHITECTURE.partition("## Words")[2]
    return [word for word in re.findall(r"^\| ([a-z ]+) \|", table, re.MULTILINE) if word != "word"]


@cache
def sources() -> dict[str, str]:
    return {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}


def is_used(word: str) -> bool:
    """A word may be part of a name, and end as its plural or its verb does."""
    stem = re.escape(word).replace(r"\ ", "[ _]")
    pattern = re.compile(rf"(?<![a-z]){stem}(?:s|es|ed|d|ing)?(?![a-z])", re.IGNORECASE)
    return any(pattern.search(text) for path, text in sources().items() if not path.endswith("_pb2.py"))


def test_the_glossary_defines_each_word_once() -> None:
    words = glossary()
    assert words
    assert len(set(words)) == len(words)


def test_each_word_of_the_glossary_is_used() -> None:
    assert [word for word in glossary() if not is_used(word)] == []


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


BROAD = {"Exception", "BaseException"}


def catches_everything(node: ast.AST) -> bool:
    """Whether it handles or suppresses all exceptions, and does not raise each of them again."""
    if isinstance(node, ast.ExceptHandler):
        last = node.body[-1]
        if isinstance(last, ast.Raise) and last.exc is None:
            return False
        kinds = [node.type]
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        kinds = [*node.args]
    else:
        return False
    return any(kind is None or BROAD & set(names_in(kind)) for kind in kinds)


def names_in(kind: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(kind) if isinstance(node, ast.Name))


@pytest.mark.parametrize(
    ("source", "is_broad"),
    [
        ("try: f()\nexcept Exception: pass", True),
        ("try: f()\nexcept (OSError, BaseException) as error: log(error)", True),
        ("try: f()\nexcept: pass", True),
        ("with contextlib.suppress(Exception): f()", True),
        ("try: f()\nexcept Exception as error: raise Refused from error", True),
        ("try: f()\nexcept BaseException:\n    close()\n    raise", False),
        ("try: f()\nexcept OSError: pass", False),
    ],
)
def test_what_counts_as_a_broad_handler(source: str, *, is_broad: bool) -> None:
    assert any(map(catches_everything, ast.walk(ast.parse(source)))) == is_broad


def modules_with_broad_handlers() -> list[str]:
    return sorted(
        path
        for path, text in sources().items()
        if re.search(r"Exception\b|except:", text) and any(map(catches_everything, ast.walk(ast.parse(text))))
    )


def test_every_broad_handler_is_listed_with_its_border() -> None:
    table = ARCHITECTURE.partition("## Errors")[2].partition("\n## ")[0]
    # A module may stand at two borders.
    assert sorted(set(re.findall(r"`([a-z_/]+\.py)`", table))) == modules_with_broad_handlers()
