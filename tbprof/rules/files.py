"""The files that are rules: those named after a code and a name, in the folder of their family.

Nothing is registered anywhere else. To know the codes, or to read a page, no rule has to be imported.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tbprof.records import dataclass

FAMILIES = (
    *("sync", "copies", "input", "launch", "fusion", "optimizer", "precision", "compilation"),
    *("communication", "memory", "inference", "sharing", "settings", "trace_health", "devices"),
)
"""Folders, in the order in which their rules are listed."""

_NAMED = re.compile(r"(?P<code>[a-z]{3}\d\d)_(?P<name>[a-z0-9_]+)")


@dataclass(frozen=True, slots=True)
class RuleFile:
    code: str
    """Such as `SYN01`, of `syn01_scalar_readback.py`."""
    name: str
    """Such as `scalar-readback`."""
    module: str
    """Its full name."""
    path: Path


@cache
def rule_files() -> tuple[RuleFile, ...]:
    """All of them, by family and code."""
    folder = Path(__file__).parent
    files = (path for family in FAMILIES for path in sorted((folder / family).glob("*.py")))
    return tuple(_rule_file(path, found) for path in files if (found := _NAMED.fullmatch(path.stem)))


def _rule_file(path: Path, found: re.Match[str]) -> RuleFile:
    name = found["name"].replace("_", "-")
    return RuleFile(found["code"].upper(), name, f"{__package__}.{path.parent.name}.{path.stem}", path)
