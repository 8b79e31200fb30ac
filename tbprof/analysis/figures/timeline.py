"""The window as the timeline shows it: lanes, tiles of them, and what a search finds.

Instants that go in or come out count from the window's first event.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.gpu_use import kernel_cover
from tbprof.analysis.figures.timeline_lanes import (
    LaneKind,
    SpanTable,
    TimelineLane,
    device_lanes,
    episode_lane,
    kind_number,
    line_groups,
    nested_lines,
    tracks_of,
)
from tbprof.analysis.figures.timeline_tile import (
    Curve,
    Pyramid,
    QueueDepth,
    Spans,
    Tile,
    TilePlace,
    cut_tile,
    highest_level,
    queue_depth,
)
from tbprof.analysis.names import match
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import STEP_PREFIX

_COARSE_LEVELS = 7
"""Below the highest: there a tile holds up to all events, at the next finer one at most 1 of 256 parts."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search leads to next."""

    row: int
    number: int
    """Its place among all matches, from 1 on, by start."""
    total: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row is drawn, and as what."""

    lane: int
    line: int
    kind: int
    """Index into `tracks.KINDS`."""


class Timeline:
    """Lanes are laid out when first asked for; then a tile takes milliseconds."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @property
    def lanes(self) -> tuple[TimelineLane, ...]:
        """All lanes, the uppermost first."""
        return tuple(lane for lane, _ in self._laid_out)

    @cached_property
    def span_ns(self) -> int:
        """The time from the first event's start to the last one's end."""
        slices = self.facts.trace.slices
        if len(slices) == 0:
            return 0
        return int((slices.end_ns).max()) - self.facts.origin_ns

    @cached_property
    def highest_level(self) -> int:
        return highest_level(self.span_ns)

    @cached_property
    def queues(self) -> dict[int, QueueDepth]:
        """The queues by number of the lane."""
        return {
            number: queue_depth(self.facts.work, lane.device)
            for number, lane in enumerate(self.lanes)
            if lane.kind == "queue" and lane.device is not None
        }

    @cached_property
    def curves(self) -> dict[int, Curve]:
        """The queues, and how full each GPU is, by number of the lane."""
        uses = {
            number: kernel_cover(self.facts, self.facts.work.kernels_of[lane.device])
            for number, lane in enumerate(self.lanes)
            if lane.kind == "use" and lane.device is not None
        }
        return {**self.queues, **uses}

    def lay_out(self) -> None:
        """Compute now what tiles rest on, so that the first of them is as fast as any."""
        _ = self._tracks, self.curves

    def tile(self, place: TilePlace, lanes: Collection[int]) -> Tile:
        """The tile of these lanes."""
        tracks = [one for one in self._tracks if one.track.lane in lanes]
        curves = {lane: curve for lane, curve in self.curves.items() if lane in lanes}
        return cut_tile(place, tracks, curves, self.facts.origin_ns)

    def labels(self, spans: Spans) -> tuple[tuple[str, ...], Int64s]:
        """The names that these spans bear, each once, and for each span its index among them.

        An episode bears no name but the number of its site, which stays as it is.
        """
        own = np.array([lane.kind == "episodes" for lane in self.lanes], np.bool_)[spans.lane]
        named = ~own & (spans.name != NONE)
        used, numbers = np.unique(spans.name[named], return_inverse=True)
        names = spans.name.copy()
        names[named] = numbers.reshape(-1)
        return tuple(self.facts.trace.names[name] for name in used.tolist()), names

    def number_of(self, kind: LaneKind, device: int | None) -> int:
        """The first lane of a kind, of a device if it is one of a device."""
        return next(at for at, lane in enumerate(self.lanes) if lane.kind == kind and lane.device == device)

    def place_of(self, row: int) -> Place | None:
        """Where a row of the trace is drawn; None where it is not."""
        drawn = self._drawn
        at = int(np.searchsorted(drawn.row, row))
        if at == len(drawn.row) or drawn.row[at] != row:
            return None
        return Place(int(drawn.lane[at]), int(drawn.line[at]), int(drawn.kind[at]))

    def step_at(self, instant_ns: int) -> int | None:
        """The step that holds an instant of the trace."""
        step = int(self.facts.steps.index_of(np.array([instant_ns], np.int64))[0])
        return None if step == NONE else step

    def representative_step(self) -> int:
        """The steady step of median length; of steps that are all cold the median one."""
        steps = self.facts.steps
        steady = [at for at in range(len(steps)) if not steps.cold[at]] or list(range(len(steps)))
        steady.sort(key=lambda at: int(steps.end_ns[at] - steps.start_ns[at]))
        return steady[len(steady) // 2]

    def longest_rows(self, start_ns: int, end_ns: int, shortest_ns: int, most: int) -> list[int]:
        """Rows that are drawn and at least so long, in a part of the window, longest first."""
        slices, rows = self.facts.trace.slices, self._drawn.row
        begin, length = slices.start_ns[rows] - self.facts.origin_ns, slices.duration_ns[rows]
        rows = rows[(begin < end_ns) & (begin + length > start_ns) & (length >= shortest_ns)]
        longest: list[int] = rows[np.argsort(-slices.duration_ns[rows], kind="stable")][:most].tolist()
        return longest

    def queued_at(self, instant_ns: int) -> int | None:
        """How much was queued on the busiest device; None where that is not known."""
        main = self.facts.known_device
        return None if main is None else self.queues[self.number_of("queue", main)].at(instant_ns)

    def find(self, text: str, after_ns: int, *, backwards: bool = False) -> Found | None:
        """The next drawn row whose name holds `text`, in any case; from the end on again from the start."""
        wanted = text.casefold()
        matches = np.array([wanted in name.casefold() for name in self.facts.trace.names], np.bool_)
        slices = self.facts.trace.slices
        rows = self._drawn.row
        rows = rows[matches[slices.name[rows]]] if len(matches) else rows[:0]
        if len(rows) == 0 or not wanted:
            return None
        rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
        starts = slices.start_ns[rows] - self.facts.origin_ns
        at = int(np.searchsorted(starts, after_ns, side="left" if backwards else "right"))
        at = (at - 1 if backwards else at) % len(rows)
        return Found(int(rows[at]), at + 1, len(rows))

    @cached_property
    def _laid_out(self) -> tuple[tuple[TimelineLane, SpanTable], ...]:
        facts = self.facts
        return (*device_lanes(facts), episode_lane(facts), *thread_lanes(facts))

    @cached_property
    def _tracks(self) -> tuple[Pyramid, ...]:
        base, origin_ns = max(self.highest_level - _COARSE_LEVELS, 0), self.facts.origin_ns
        return tuple(
            Pyramid.of(track, base, self.highest_level, origin_ns)
            for number, (_, spans) in enumerate(self._laid_out)
            for track in tracks_of(number, spans)
        )

    @cached_property
    def _drawn(self) -> _Drawn:
        lanes = [
            (number, spans)
            for number, (lane, spans) in enumerate(self._laid_out)
            if lane.kind not in ("idle", "communication", "episodes")
        ]
        rows = _joined([spans.row for _, spans in lanes])
        order = np.argsort(rows, kind="stable")
        lane = _joined([np.full(len(spans.row), number, np.int64) for number, spans in lanes])
        line = _joined([spans.line for _, spans in lanes])
        kind = _joined([spans.kind for _, spans in lanes])
        return _Drawn(rows[order], lane[order], line[order], kind[order])


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """The rows of the trace that stand on a line, ascending."""

    row: Int64s
    lane: Int64s
    line: Int64s
    kind: Int64s


def _joined(columns: list[Int64s]) -> Int64s:
    return np.concatenate(columns) if columns else np.empty(0, np.int64)


_GROUPS = {
    Category.USER_ANNOTATION: "label",
    Category.PYTHON: "frame",
    Category.CPU_OP: "op",
    Category.RUNTIME: "call",
    Category.OVERHEAD: "other",
    Category.OTHER: "other",
}
"""In the order in which they lie below each other. Left out are what devices did, and CUPTI's
records of waits, which repeat calls of the host."""

_ORDER: tuple[LaneKind, ...] = ("main", "autograd", "thread")


def thread_lanes(facts: Facts) -> Iterator[tuple[TimelineLane, SpanTable]]:
    """The thread of the steps, those of autograd, then the others by their first row."""
    slices = facts.trace.slices
    rows = np.flatnonzero(is_among(slices.category, list(_GROUPS)))
    lanes = slices.lane[rows]
    rows = rows[np.argsort(lanes, kind="stable")]
    numbers, begin = np.unique(np.sort(lanes, kind="stable"), return_index=True)
    by_lane = dict(zip(numbers.tolist(), np.split(rows, begin[1:]), strict=True)) if len(rows) else {}
    first = {lane: int(slices.start_ns[mine].min()) for lane, mine in by_lane.items()}
    kinds = {lane: _kind(facts, lane) for lane in by_lane}
    waits = _wait_rows(facts)
    for lane in sorted(by_lane, key=lambda lane: (_ORDER.index(kinds[lane]), first[lane])):
        yield _thread(facts, lane, kinds[lane], by_lane[lane], waits)


def _kind(facts: Facts, lane: int) -> LaneKind:
    if lane not in facts.training_threads:
        return "thread"
    if lane in facts.steps.lanes or not facts.steps.recorded:
        return "main"
    return "autograd"


def _wait_rows(facts: Facts) -> npt.NDArray[np.bool_]:
    """For each row whether it is a call of an episode that blocked."""
    episodes = facts.episodes
    joined = episodes.joined[episodes.blocking & (episodes.joined != NONE)]
    waits = np.zeros(len(facts.trace.slices), np.bool_)
    waits[facts.calls.rows[episodes.first[episodes.blocking]]] = True
    waits[facts.calls.rows[joined]] = True
    return waits


def _thread(
    facts: Facts, lane: int, kind: LaneKind, rows: Int64s, waits: npt.NDArray[np.bool_]
) -> tuple[TimelineLane, SpanTable]:
    slices = facts.trace.slices
    start = slices.start_ns[rows]
    end = start + slices.duration_ns[rows]
    lines, groups = np.zeros(len(rows), np.int64), tuple[str, ...]()
    kinds = np.full(len(rows), kind_number("other"), np.int64)
    for group in dict.fromkeys(_GROUPS.values()):
        wanted = [category for category, of in _GROUPS.items() if of == group]
        mine = np.flatnonzero(is_among(slices.category[rows], wanted))
        nested = nested_lines(start[mine], end[mine])
        lines[mine] = nested + len(groups)
        groups += line_groups(group, nested)
        kinds[mine] = kind_number(group)
    kinds[waits[rows]] = kind_number("wait")
    steps = match(facts.trace, rows, STEP_PREFIX)
    kinds[steps & (kinds == kind_number("label"))] = kind_number("step")
    spans = SpanTable(start, end, lines, kinds, rows, slices.name[rows].astype(np.int64))
    return TimelineLane(kind, None, None, _thread_name(facts, lane), groups), spans


def _thread_name(facts: Facts, lane: int) -> str:
    thread = facts.trace.lanes[lane]
    return thread.name or thread.thread


MAX_LINKS = 64
"""The most links of one call: a graph launch may start thousands."""


def links_of(facts: Facts, row: int) -> tuple[tuple[int, int], ...]:
    """Pairs of a launching call's row and a device row, for either of them; none for other rows."""
    work = facts.work
    started = np.flatnonzero(work.launch == row)[:MAX_LINKS]
    if len(started):
        return tuple((row, device_row) for device_row in work.rows[started].tolist())
    own = np.flatnonzero((work.rows == row) & (work.launch != NONE))
    return tuple((call, row) for call in work.launch[own].tolist())


def calls_of_episode(facts: Facts, episode: int) -> tuple[int, ...]:
    """Rows of its one or two calls, in their order."""
    episodes, calls = facts.episodes, facts.calls
    positions = (int(episodes.first[episode]), int(episodes.joined[episode]))
    return tuple(int(calls.rows[at]) for at in positions if at != NONE)
