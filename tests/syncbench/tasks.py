"""Tasks of SyncBench: a program before and after a change, and what is known of both."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "tasks"
VERSION = "1.2"
CANARY = "SYNCBENCH-CANARY-6f0c2c1e-8d0b-4a3f-9b57-2f7d1e5a90c4"
"""Stands in every task; who trains on it can be asked for it."""

GAINS = ("gain > 5 %", "0 to 5 %", "none", "slower", "not stated")
TRAPS = ("adds a wait", "needed read", "equal rewrite", "stale", "race", "wrong result", "no gain")
_MARK = re.compile(r"  # (waits|needed|stays)(?: (\d+))?$")
_ROUNDS = 20_000


@dataclass(frozen=True)
class Task:
    """One folder. Without a program after a change it holds reads that are needed."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """All of `task.toml`."""
        return tomllib.loads((self.folder / "task.toml").read_text(encoding="utf-8"))

    @property
    def labels(self) -> Mapping[str, Any]:
        return self.facts.get("labels", {})  # type: ignore[no-any-return]

    @property
    def is_hidden(self) -> bool:
        return bool(self.facts.get("hidden"))

    @property
    def step_on(self) -> str | None:
        """The function whose end is that of a step; None where an optimizer's is."""
        return self.facts.get("step_on")

    def source(self, side: str) -> str | None:
        """The text of `before`, `after` or `wrong`; None where there is none."""
        path = self.path(side)
        return path.read_text(encoding="utf-8") if path.exists() else None

    def path(self, side: str) -> Path:
        return self.folder / f"{side}.py"

    def right(self, kind: str, answers: set[str]) -> set[str]:
        """Those of the answers that a label of this kind has."""
        labels = self.labels[kind]
        if self.is_hidden:
            return {each for each in answers if digest(self.labels["salt"], each) in labels}
        return answers & set(map(str, labels))

    def is_right(self, kind: str, answer: str) -> bool:
        """Whether it is what the label, or one of its values, says."""
        known = self.labels[kind] if self.is_hidden else self.facts[kind]
        said = digest(self.labels["salt"], answer) if self.is_hidden else answer
        return said in ([known] if isinstance(known, str) else known)

    @property
    def has_gain(self) -> bool:
        """Whether the author says what it gained."""
        return "gain" in self.labels or self.facts.get("gain", "not stated") != "not stated"


def tasks(names: tuple[str, ...] = ()) -> Iterator[Task]:
    """All of them in the order of their names, or those that are named."""
    for folder in sorted(path.parent for path in FOLDER.glob("*/task.toml")):
        if not names or folder.name in names:
            yield Task(folder)


def digest(salt: str, answer: str) -> str:
    """What is stored of the label of a hidden task."""
    return hashlib.pbkdf2_hmac("sha256", answer.encode(), salt.encode(), _ROUNDS).hex()[:16]


def unmarked(source: str) -> tuple[str, dict[str, dict[str, int]]]:
    """The source without its marks, and what they say: times a step by line, by kind."""
    lines, said = [], dict[str, dict[str, int]]()
    for number, line in enumerate(source.splitlines(), 1):
        mark = _MARK.search(line)
        if mark:
            said.setdefault(mark[1], {})[str(number)] = int(mark[2] or 1)
        lines.append(_MARK.sub("", line))
    return "\n".join(lines) + "\n", said
