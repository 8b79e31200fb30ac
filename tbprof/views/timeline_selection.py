"""What is said of the one thing that is selected in the timeline.

A tile of the timeline as bytes, for the browser to read without copying.

All numbers are little-endian. First the head, eight unsigned numbers of 32 bits:

    magic (0x54504254, "TBPT" in the file), version, level, number of the tile,
    spans, shares, heights, bytes of the names

Then the columns, each whole before the next; n entries of the stated type:

    spans   start_ns  float64    since the window's first event
            end_ns    float64
            place     uint32     lane << 16 | line << 8 | kind
            row       int32      row of the trace, number of an episode, or -1
            name      int32      index into the names, the site of an episode, or -1
            (padding to 8 bytes: one uint32 if the number of spans is odd)
    shares  place     uint32
            bucket    uint32     of the tile
            covered_ns uint32    how much of the bucket is covered
            count     uint32     how many spans begin in it
    heights for each: lane (uint32), then 1024 x height, 1024 x empty_ns (uint32 each)

Last the names as a JSON array, in UTF-8. Names are cut at `MAX_NAME` letters: no label is longer.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Collection, Iterator

from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.figures.timeline import Timeline, calls_of_episode, links_of
from tbprof.analysis.figures.timeline_gaps import gap_after, gap_at, idle_pieces, step_excerpt
from tbprof.analysis.figures.timeline_lanes import KINDS
from tbprof.analysis.figures.timeline_tile import Shares, Spans, TilePlace
from tbprof.model import SiteIndex
from tbprof.texts.idle import cause_name
from tbprof.texts.timeline import episode_sentence, gap_sentence
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.export.excerpt import Note
from tbprof.views.steady import us
from tbprof.views.timeline import LinkRow, SelectionView
from tbprof.views.timeline_view import gap_row


def select_episode(timeline: Timeline, number: int) -> SelectionView | None:
    """None where the window has no such episode."""
    facts, episodes = timeline.facts, timeline.facts.episodes
    if not 0 <= number < len(episodes.first):
        return None
    is_blocking = bool(episodes.blocking[number])
    start_ns, end_ns = int(episodes.start_ns[number]), int(episodes.end_ns[number])
    lane = timeline.number_of("episodes", None)
    selected = _selected(timeline, "blocking" if is_blocking else "free", start_ns, end_ns, lane)
    record = int(episodes.record[number])
    if record != NONE:
        copy_ns = int(facts.work.end_ns[record] - facts.work.start_ns[record])
        selected = dataclasses.replace(selected, copy_us=us(copy_ns), copy_bytes=int(episodes.bytes[number]))
    gap = gap_after(facts, number)
    return dataclasses.replace(
        selected,
        site=SiteIndex(int(facts.site_of_episode[number])),
        sentence=episode_sentence(
            us(int(episodes.wait_ns[number])),
            us(int(facts.awaited.explained_ns[number])),
            us(int(facts.starve_ns[number])),
            is_blocking=is_blocking,
            communicating_us=us(int(facts.wait_for_communication_ns[number])),
        ),
        direction=DIRECTIONS[episodes.direction[number]],
        memory=MEMORIES[episodes.memory[number]],
        gap=None if gap is None else gap_row(gap, facts.origin_ns),
        links=tuple(link for row in calls_of_episode(facts, number) for link in _links(timeline, row)),
    )


def select_gap(timeline: Timeline, at_ns: int) -> SelectionView | None:
    """The gap of the busiest device at an instant of the window, None where it worked."""
    facts = timeline.facts
    gap = gap_at(facts, at_ns + facts.origin_ns)
    if gap is None:
        return None
    row = gap_row(gap, facts.origin_ns)
    lane = timeline.number_of("idle", facts.work.main_device)
    return dataclasses.replace(
        _selected(timeline, "gap", gap.start_ns, gap.end_ns, lane),
        site=row.site,
        sentence=gap_sentence(gap.cause, row.idle_us, gap.place),
        gap=row,
    )


def select_row(timeline: Timeline, row: int) -> SelectionView | None:
    """A row of the trace; None for one that is not drawn."""
    place = timeline.place_of(row)
    if place is None:
        return None
    trace = timeline.facts.trace
    start_ns = int(trace.slices.start_ns[row])
    end_ns = start_ns + int(trace.slices.duration_ns[row])
    return dataclasses.replace(
        _selected(timeline, KINDS[place.kind], start_ns, end_ns, place.lane, place.line),
        name=trace.names[trace.slices.name[row]],
        links=_links(timeline, row),
    )


def _selected(
    timeline: Timeline, kind: str, start_ns: int, end_ns: int, lane: int, line: int = 0
) -> SelectionView:
    """What every selection has; instants are the trace's."""
    facts = timeline.facts
    step = timeline.step_at(start_ns)
    return SelectionView(
        kind=kind,
        name="",
        start_ns=start_ns - facts.origin_ns,
        end_ns=end_ns - facts.origin_ns,
        duration_us=us(end_ns - start_ns),
        lane=lane,
        line=line,
        step=step,
        into_step_us=None if step is None else us(start_ns - int(facts.steps.start_ns[step])),
        site=None,
        sentence="",
        direction="",
        memory="",
        copy_us=None,
        copy_bytes=None,
        queued=timeline.queued_at(start_ns),
        gap=None,
        links=(),
    )


def _links(timeline: Timeline, row: int) -> tuple[LinkRow, ...]:
    """The links from the launch to what it started; to what is not drawn there is none."""
    slices, origin_ns = timeline.facts.trace.slices, timeline.facts.origin_ns
    found = []
    for call, started in links_of(timeline.facts, row):
        start, end = timeline.place_of(call), timeline.place_of(started)
        if start is not None and end is not None:
            times = (int(slices.start_ns[call]) - origin_ns, int(slices.start_ns[started]) - origin_ns)
            found.append(LinkRow(times[0], start.lane, start.line, times[1], end.lane, end.line))
    return tuple(found)


def excerpt_of_step(timeline: Timeline, step: int) -> bytes:
    """Chrome's JSON of one step: its rows, and our notes on idle, sync points and copies."""
    notes = (*_idle(timeline, step), *_episodes(timeline, step))
    return step_excerpt(timeline.facts, step, notes)


def _idle(timeline: Timeline, step: int) -> Iterator[Note]:
    for cause, pieces in idle_pieces(timeline.facts, step).items():
        for start_ns, end_ns in zip(pieces.start_ns.tolist(), pieces.end_ns.tolist(), strict=True):
            yield Note("GPU idle, by cause", cause_name(cause), start_ns, end_ns)


def _episodes(timeline: Timeline, step: int) -> Iterator[Note]:
    """The episodes of each thread on a track of their own: they do not overlap there."""
    facts = timeline.facts
    episodes = facts.episodes
    for number, of in enumerate(episodes.step.tolist()):
        if of == step:
            thread = facts.trace.lanes[int(episodes.lane[number])]
            text = episode_sentence(
                us(int(episodes.wait_ns[number])),
                us(int(facts.awaited.explained_ns[number])),
                us(int(facts.starve_ns[number])),
                is_blocking=bool(episodes.blocking[number]),
                communicating_us=us(int(facts.wait_for_communication_ns[number])),
            )
            track = f"Sync points and copies, {thread.name or thread.thread}"
            yield Note(track, text, int(episodes.start_ns[number]), int(episodes.end_ns[number]))


MAGIC = 0x54504254
VERSION = 1
MAX_NAME = 100

_MOST = 2**32 - 1
"""A bucket of four seconds, of a window of more than an hour."""


def tile_bytes(timeline: Timeline, level: int, number: int, lanes: Collection[int]) -> bytes:
    """The tile of these lanes, with the names of its spans."""
    tile = timeline.tile(TilePlace(level, number), lanes)
    spans, shares = tile.spans, tile.shares
    labels, names = timeline.labels(spans)
    text = json.dumps([label[:MAX_NAME] for label in labels], ensure_ascii=False).encode("utf-8", "replace")
    head = (MAGIC, VERSION, tile.place.level, tile.place.number)
    counts = (len(spans.row), len(shares.bucket), len(tile.heights), len(text))
    return b"".join(
        [
            struct.pack("<8I", *head, *counts),
            spans.start_ns.astype("<f8").tobytes(),
            spans.end_ns.astype("<f8").tobytes(),
            _places(spans),
            spans.row.astype("<i4").tobytes(),
            names.astype("<i4").tobytes(),
            b"\0" * (4 * (len(names) % 2)),
            _places(shares),
            shares.bucket.astype("<u4").tobytes(),
            shares.covered_ns.clip(0, _MOST).astype("<u4").tobytes(),
            shares.count.astype("<u4").tobytes(),
            *(
                struct.pack("<I", heights.lane)
                + heights.height.astype("<u4").tobytes()
                + heights.empty_ns.clip(0, _MOST).astype("<u4").tobytes()
                for heights in tile.heights
            ),
            text,
        ]
    )


def _places(items: Spans | Shares) -> bytes:
    return (items.lane << 16 | items.line << 8 | items.kind).astype("<u4").tobytes()
