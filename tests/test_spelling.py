"""Everything is spelled as torch spells, American, and docstrings are whole sentences or noun phrases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
_STEMS = (
    *("synchron", "initial", "normal", "recogn", "serial", "summar", "optim", "organ", "special", "minim"),
    "maxim",
)
_OTHERS = ("colour", "neighbour", "behaviour", "favour", "honour", "judgement")
_BRITISH = re.compile(
    rf"(?:{'|'.join(_STEMS)})is(?:e|ed|es|ing|ation)\b|{'|'.join(_OTHERS)}"
    r"|\banalys(?:e|ed|er|ing)\b|(?<![a-z])labelled(?!by)",
    re.IGNORECASE,
)
_PARTS_OF_BRITISH = (*(f"{stem}is" for stem in _STEMS), *_OTHERS, "analyse", "analysing", "labelled")
_FOLDERS = (".github", "examples", "plugin_frontend/src", "plugin_frontend/tests", "tbprof", "tests")
_SUFFIXES = {".py", ".md", ".ts", ".tsx", ".css", ".proto", ".txt"}


def _files() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for folder in _FOLDERS:
        yield from (ROOT / folder).rglob("*")


def _lines_with(pattern: re.Pattern[str], parts: Sequence[str], paths: Iterable[Path]) -> list[str]:
    """The lines that match; `parts` are found faster, and each match has one of them."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in paths)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path, text in texts
        if any(part in text.lower() for part in parts)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_the_spelling_is_american() -> None:
    paths = (
        path
        for path in _files()
        if path.suffix in _SUFFIXES and path != Path(__file__) and "static" not in path.parts
    )
    assert _lines_with(_BRITISH, _PARTS_OF_BRITISH, paths) == []


_MID_SENTENCE = re.compile(r"(?:Of|By|Those|From|Which|As|That|Whose)\b")
"""First words of a clause that lacks its subject."""
_IN_QUOTES = re.compile(rf"[\"']\s*{_MID_SENTENCE.pattern}")


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """The strings that stand alone in the body of a module, class or function, with their lines."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value.strip()


def test_no_docstring_begins_in_mid_sentence() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for path in (ROOT / "tbprof").rglob("*.py")
        if _IN_QUOTES.search(source := path.read_text(encoding="utf-8"))
        for line, text in docstrings(source)
        if _MID_SENTENCE.match(text)
    ]
    assert found == []


def test_a_docstring_in_mid_sentence_is_seen() -> None:
    source = 'SIZE = 1\n"""Of a file."""\n\n\ndef f():\n    """The size of a file."""\n'
    assert [text for _, text in docstrings(source) if _MID_SENTENCE.match(text)] == ["Of a file."]


_FORBIDDEN = re.compile(
    r"\banew\b|\bwhosever\b|can't be told|\btold\b(?! apart)|\b(?:a|the|one|each) synchronize\b(?! call)"
    r"|(?<!left )(?<!none )(?<!fell )(?<!stays )(?<!queued )(?<!waits )(?<!hides )\bbehind (?:it\b|them\b"
    r"|a (?:window|step)|the (?:window|step|last|first|array|events?)\b)",
    re.IGNORECASE,
)
"""Words that CONTRIBUTING rules out: nothing is *told*, nor comes *behind* a window."""


_PARTS_OF_FORBIDDEN = ("anew", "whosever", "told", "synchronize", "behind")


def test_no_word_is_used_that_contributing_rules_out() -> None:
    package = ROOT / "tbprof"
    paths = (*package.rglob("*.py"), *package.rglob("*.md"), *ROOT.glob("README*.md"))
    assert _lines_with(_FORBIDDEN, _PARTS_OF_FORBIDDEN, paths) == []


def test_a_word_that_is_ruled_out_is_seen() -> None:
    lines = (
        "recorded behind the window",
        "it can't be told",
        "a synchronize waits",
        "left behind the window",
        "begun again",
    )
    assert [bool(_FORBIDDEN.search(line)) for line in lines] == [True, True, True, False, False]
