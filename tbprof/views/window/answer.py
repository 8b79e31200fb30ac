"""The answer to "show me this window": its view, how far it is, or what is wrong with it."""

from __future__ import annotations

from typing import Literal

from tbprof.records import dataclass
from tbprof.views.window.window import WindowView


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a trace without a report has been read."""

    read_bytes: int
    """Bytes of the file as it lies on disk."""
    total_bytes: int
    elapsed_s: float
    ahead: int
    """Traces that are read before this one."""


@dataclass(frozen=True, slots=True)
class Problem:
    title: str
    what: str
    what_to_do: str
    path: str


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """The answer of `window`: exactly one of the three is there, as `state` says."""

    state: Literal["ready", "reading", "broken"]
    window: WindowView | None
    progress: Progress | None
    problem: Problem | None
