"""The files that are rules: those named after a code and a name, in the folder of their family.

Small rules that are alike share a file named after their family, such as `env_rules.py`, as functions named
that way. Nothing is registered anywhere else. No rule has to be imported for its code or its page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tbprof.records import dataclass

FAMILIES = (
    *("sync", "copies", "input", "launch", "fusion", "optimizer", "precision", "compilation"),
    *("communication", "memory", "inference", "sharing", "settings", "trace_health", "devices"),
)
"""Folders, in the order in which their rules are listed."""

_NAMED = re.compile(r"(?P<code>[a-z]{3}\d\d)_(?P<name>[a-z0-9_]+)")
_FUNCTION = re.compile(rf"^def ({_NAMED.pattern})\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RuleFile:
    code: str
    """Such as `SYN01`, of `syn01_scalar_readback.py`."""
    name: str
    """Such as `scalar-readback`."""
    module: str
    """Its full name."""
    path: Path
    function: str = ""
    """Its own, of a file with several rules."""


@cache
def rule_files() -> tuple[RuleFile, ...]:
    """All of them, by family and code."""
    folder = Path(__file__).parent
    files = (path for family in FAMILIES for path in sorted((folder / family).glob("*.py")))
    return tuple(rule for path in files for rule in _rules_in(path))


def _rules_in(path: Path) -> Iterator[RuleFile]:
    if found := _NAMED.fullmatch(path.stem):
        yield _rule_file(path, found)
    elif path.stem.endswith("_rules"):
        for found in _FUNCTION.finditer(path.read_text(encoding="utf-8")):
            yield _rule_file(path, found, found[1])


def _rule_file(path: Path, found: re.Match[str], function: str = "") -> RuleFile:
    name = found["name"].replace("_", "-")
    module = f"{__package__}.{path.parent.name}.{path.stem}"
    return RuleFile(found["code"].upper(), name, module, path, function)
