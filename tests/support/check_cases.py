"""Windows between which a check changes its mind, as each test of a rule gives them in its `CASES`.

CASES = (
CheckCases(
"LCH02",
boundary="200 us without a launch",
positive=lambda: pausing(3_000),
negative=hand_written_loss,
least=lambda: pausing(200),
below=lambda: pausing(199.999),
),
)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.model import HookFacts

Window: TypeAlias = Callable[[], TraceBuilder | Facts]


@dataclass(frozen=True, slots=True)
class CheckCases:
    """Where one check fails and where it passes; `least` and `below` differ in what `boundary` says."""

    code: str
    boundary: str
    """The threshold; of a check that has none, the smallest case in which its evidence exists."""
    positive: Window
    """Fails, and by far."""
    negative: Window
    """Holds what the check judges, and passes."""
    least: Window
    """Fails, and hardly so."""
    below: Window
    """Does not fail, and hardly so."""


def beside(known: HookFacts, built: TraceBuilder) -> Facts:
    """The window where the hook knows this of it."""
    return Facts(dataclasses.replace(built.trace(), facts=known))
