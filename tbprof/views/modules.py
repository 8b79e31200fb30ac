"""What the page of modules shows. Times are us of a step, the mean of the steps that are not cold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.model import ProgramPartKind
from tbprof.views.answer import Problem, Progress


@dataclass(frozen=True, slots=True)
class ModuleKernel:
    """Kernels, copies or memsets of one name."""

    name: str
    """Whole."""
    short_name: str
    calls: float
    time_us: float


@dataclass(frozen=True, slots=True)
class EqualParts:
    """Device times of a step of equal layers; host times where no device is recorded."""

    count: int
    least_us: float
    median_us: float
    most_us: float
    odd: str | None
    """The one that lies apart from the others; null where none does."""
    odd_us: float | None


@dataclass(frozen=True, slots=True)
class ModuleNode:
    """With what lies inside it, but for the figures that are its own. Device figures are null without one."""

    kind: ProgramPartKind
    name: str
    """Within its parent, `layers.0-31` of equal layers; "" of the root."""
    class_name: str
    """"" of what is no module."""
    parent: int | None
    """Index of a node before this one; null of the root."""
    calls: float
    """In the forward pass, of all equal layers together."""
    device_us: float | None
    device_forward_us: float | None
    device_backward_us: float | None
    """With what autograd runs again, as activation checkpointing does."""
    device_own_us: float | None
    """Without the nodes inside it: those of all nodes add up to the root's `device_us`."""
    host_us: float
    host_forward_us: float
    host_backward_us: float
    host_own_us: float
    launches: float | None
    idle_us: float | None
    """The idle of the busiest device, while the host was in it."""
    wait_us: float | None
    """In sync points inside it."""
    equal: EqualParts | None
    """Null of a node that stands for one part."""
    source: str | None
    """`file(line): function` in which it is called; null where no stacks are recorded."""
    kernels: tuple[ModuleKernel, ...]
    """The kernels that it launched itself, the longest first; not all of them."""


@dataclass(frozen=True, slots=True)
class ModulesView:
    steps: int
    """The number of steps that the times are means of."""
    marks_steps: bool
    """Whether the trace marks steps; else the whole window stands as one."""
    has_device: bool
    headline: str
    """A sentence on the parts that take most of the time."""
    missing: str
    """Why no module is named; "" where one is. There may be nodes all the same, such as the optimizer."""
    nodes: tuple[ModuleNode, ...]
    """The root first, then depth first; those of one parent in the order in which they first ran."""


@dataclass(frozen=True, slots=True)
class ModulesAnswer:
    """`gone`: there is a report and no trace any more."""

    state: Literal["ready", "reading", "gone", "broken"]
    modules: ModulesView | None
    progress: Progress | None
    problem: Problem | None
