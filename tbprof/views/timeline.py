"""What the Timeline shows, but for its tiles.

Instants are ns since the window's first event: whole numbers, as the tiles have them.
Durations are us, as everywhere.
"""

from __future__ import annotations

from typing import Literal

from tbprof.model import SiteIndex
from tbprof.records import dataclass
from tbprof.views.answer import Problem, Progress


@dataclass(frozen=True, slots=True)
class StepMark:
    name: str
    start_ns: int
    duration_ns: int
    cold: bool


@dataclass(frozen=True, slots=True)
class LaneRow:
    kind: Literal["idle", "use", "communication", "stream", "queue", "episodes", "main", "autograd", "thread"]
    device: int | None
    stream: int | None
    name: str
    """The name of a thread."""
    lines: tuple[str, ...]
    """What each line holds: `idle`, `work`, `depth`, `episode`, `label`, `frame`, `op`, `call`, `other`."""
    peak: int
    """The most that was queued, on a queue's lane."""


@dataclass(frozen=True, slots=True)
class SiteMark:
    """Enough of a site to see that the report's site of the same index is the same."""

    count: int
    wait_us: float


@dataclass(frozen=True, slots=True)
class CauseName:
    cause: str
    name: str


@dataclass(frozen=True, slots=True)
class TimelineView:
    span_ns: int
    highest_level: int
    """At which one tile holds the whole window."""
    tile_buckets: int
    kinds: tuple[str, ...]
    """What the numbers of kinds in a tile mean."""
    causes: tuple[CauseName, ...]
    steps: tuple[StepMark, ...]
    lanes: tuple[LaneRow, ...]
    """The lanes, from the top."""
    sites: tuple[SiteMark, ...]
    main_device: int | None


@dataclass(frozen=True, slots=True)
class GapRow:
    start_ns: int
    end_ns: int
    cause: str
    """The cause of most of it."""
    idle_us: float
    place: str
    site: SiteIndex | None
    """During whose wait the device ran dry."""


@dataclass(frozen=True, slots=True)
class StepCauseRow:
    cause: str
    name: str
    idle_us: float
    pieces: int
    longest_us: float
    """The longest piece of a gap that has this cause."""
    around: GapRow
    """The gap that holds it."""


@dataclass(frozen=True, slots=True)
class EpisodeMark:
    number: int
    site: SiteIndex
    start_ns: int
    end_ns: int
    blocking: bool


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One step of the busiest device."""

    index: int
    duration_us: float
    idle_us: float | None
    """Null without a device."""
    idle_share: float | None
    end_ns: int
    """Until the work that it launched had ended."""
    causes: tuple[StepCauseRow, ...]
    gaps: tuple[GapRow, ...]
    """The longest, longest first."""
    episodes: tuple[EpisodeMark, ...]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link from a launch to what it started: instant, lane and line of both."""

    from_ns: int
    from_lane: int
    from_line: int
    to_ns: int
    to_lane: int
    to_line: int


@dataclass(frozen=True, slots=True)
class SelectionView:
    """An episode, a gap, or a row of the trace."""

    kind: str
    """The kind as in a tile; `gap` for a gap."""
    name: str
    """The name of a row; else ""."""
    start_ns: int
    end_ns: int
    duration_us: float
    lane: int | None
    line: int | None
    step: int | None
    into_step_us: float | None
    site: SiteIndex | None
    sentence: str
    direction: str
    """The direction of a copy, with its memory; else ""."""
    memory: str
    copy_us: float | None
    copy_bytes: int | None
    queued: int | None
    """How much was queued on the busiest device when it began; null where that is not known."""
    gap: GapRow | None
    """The gap that followed from it, or that it is."""
    links: tuple[LinkRow, ...]


@dataclass(frozen=True, slots=True)
class FoundView:
    """What a search leads to; a row of null where nothing bears such a name."""

    row: int | None
    number: int
    """Its place among all, from 1 on."""
    total: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class TimelineAnswer:
    """`gone`: there is a report and no trace any more."""

    state: Literal["ready", "reading", "gone", "broken"]
    timeline: TimelineView | None
    progress: Progress | None
    problem: Problem | None
