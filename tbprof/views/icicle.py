"""What the flame graph shows. Times are us of a step, the mean of the steps that are not cold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.views.answer import Problem, Progress


@dataclass(frozen=True, slots=True)
class IcicleChoice:
    """What the time can be nested by."""

    kind: Literal["function", "operator", "module", "label"]
    missing: str
    """Why it is not offered; "" where it is."""


@dataclass(frozen=True, slots=True)
class IcicleNode:
    name: str
    """"" of the root, and of what was folded."""
    parent: int | None
    """Index of a node before this one; null of the root."""
    calls: float
    """The calls that began in a step; 0 for what had begun before the steps."""
    host_us: float
    """With what lies inside it, as the one below."""
    device_us: float
    folded: int
    """How many nodes it stands for; 0 of a node that is none but itself."""
    is_own: bool
    """Code of the user's own: no library's, no operator."""


@dataclass(frozen=True, slots=True)
class IcicleView:
    kind: Literal["function", "operator", "module", "label"]
    kinds: tuple[IcicleChoice, ...]
    steps: int
    """The number of steps that the times are means of."""
    marks_steps: bool
    """Whether the trace marks steps; else the whole window stands as one."""
    has_device: bool
    host_sentence: str
    """What most of the host's time lies in; "" without nodes."""
    device_sentence: str
    nodes: tuple[IcicleNode, ...]
    """The root first; none where nothing that can be nested was recorded."""


@dataclass(frozen=True, slots=True)
class IcicleAnswer:
    """`gone`: there is a report and no trace any more."""

    state: Literal["ready", "reading", "gone", "broken"]
    icicle: IcicleView | None
    progress: Progress | None
    problem: Problem | None
