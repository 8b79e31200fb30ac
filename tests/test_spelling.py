"""Everything is spelled as torch spells: American, in code, documents and the frontend alike."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BRITISH = re.compile(
    r"(?:synchron|initial|normal|recogn|serial|summar|optim|organ|special|minim|maxim)is(?:e|ed|es|ing|ation)\b"
    r"|colour|neighbour|behaviour|favour|honour|judgement|\banalys(?:e|ed|er|ing)\b|(?<![a-z])labelled(?!by)",
    re.IGNORECASE,
)
_SUFFIXES = {".py", ".md", ".ts", ".tsx", ".css", ".toml", ".proto", ".txt"}


def test_the_spelling_is_american() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in listed
        if Path(name).suffix in _SUFFIXES and name != "tests/test_spelling.py" and (ROOT / name).is_file()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if _BRITISH.search(line)
    ]
    assert found == []
