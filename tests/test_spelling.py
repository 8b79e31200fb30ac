"""Everything is spelled as torch spells: American, in code, documents and the frontend alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BRITISH = re.compile(
    r"(?:synchron|initial|normal|recogn|serial|summar|optim|organ|special|minim|maxim)is(?:e|ed|es|ing|ation)\b"
    r"|colour|neighbour|behaviour|favour|honour|judgement|\banalys(?:e|ed|er|ing)\b|(?<![a-z])labelled(?!by)",
    re.IGNORECASE,
)
_FOLDERS = (".github", "examples", "plugin_frontend/src", "plugin_frontend/tests", "tbprof", "tests")
_SUFFIXES = {".py", ".md", ".ts", ".tsx", ".css", ".proto", ".txt"}


def _files() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for folder in _FOLDERS:
        yield from (ROOT / folder).rglob("*")


def test_the_spelling_is_american() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _files()
        if path.suffix in _SUFFIXES and path != Path(__file__) and "static" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _BRITISH.search(line)
    ]
    assert found == []
