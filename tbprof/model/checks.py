"""What became of each rule in a window: it found something, looked in vain, or could not look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from tbprof.model.indexes import FindingIndex
from tbprof.records import dataclass

CheckState: TypeAlias = Literal["passed", "failed", "not_checked", "not_applicable"]
"""The last one: the window holds nothing that the rule judges."""


@dataclass(frozen=True, slots=True)
class Check:
    rule: str
    state: CheckState
    finding: FindingIndex | None = None
    """The worst of a failed one."""
    needs: tuple[str, ...] = ()
    """Of one that was not checked what was not recorded; none where the rule itself broke."""
    numbers: Mapping[str, int | float | str] = field(default_factory=dict)
    """Of a passed one what it looked at."""
