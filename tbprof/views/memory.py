"""What the page of memory shows. Instants are ns since the first event of the window, sizes bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.views.answer import Problem, Progress


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """One that the trace marks, on the host."""

    name: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class MemoryDevice:
    device: str
    """`CPU`, `GPU 0`, ..."""
    is_recorded: bool
    """Whether the allocator said its totals; else the curve is what came on top of its lowest moment."""
    events: int
    peak_bytes: int
    """Allocated."""
    peak_ns: int
    reserved_bytes: int | None
    """The most; null where the allocator keeps no cache, or did not say."""


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """A device's curve over a part of the window.

    Each value holds from its instant to the next one. Where there are more events than can be seen, a value
    is the lowest and the highest of those that lie close.
    """

    from_ns: int
    to_ns: int
    at_ns: tuple[int, ...]
    low_bytes: tuple[int, ...]
    high_bytes: tuple[int, ...]
    reserved_bytes: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class MemoryHolder:
    """Blocks that were allocated in one place of the program."""

    operator: str | None
    """The outermost one; null of what no operator allocated."""
    module: str | None
    file: str | None
    """With `line` and `function`, the innermost function of the user's; null where no stacks are recorded."""
    line: int | None
    function: str | None
    bytes: int
    blocks: int
    share: float
    """The share of what was allocated."""


@dataclass(frozen=True, slots=True)
class MemoryMoment:
    """What was there at one instant."""

    at_ns: int
    is_peak: bool
    step: str | None
    """Null outside the steps, and where none are marked."""
    allocated_bytes: int
    reserved_bytes: int | None
    before_bytes: int | None
    """The bytes that were there before the recording; null where addresses or totals are not recorded."""
    holders: tuple[MemoryHolder, ...]
    """The largest first; not all of them. None where addresses are not recorded."""
    more_holders: int
    more_bytes: int
    """The bytes of the holders that are not among them."""


@dataclass(frozen=True, slots=True)
class MemoryView:
    missing: str
    """Why there is nothing to show; "" where there is."""
    headline: str
    about: str
    span_ns: int
    steps: tuple[MemoryStep, ...]
    devices: tuple[MemoryDevice, ...]
    """GPUs first, the CPU last."""
    device: str
    """The one that the rest is of."""
    line: MemoryLine | None
    moment: MemoryMoment | None


@dataclass(frozen=True, slots=True)
class MemoryAnswer:
    """`gone`: there is a report and no trace any more."""

    state: Literal["ready", "reading", "gone", "broken"]
    memory: MemoryView | None
    progress: Progress | None
    problem: Problem | None
