"""One step of a window's timeline, small enough to travel inside a page.

What the timeline's routes would answer of the step is packed as the browser unpacks it: zlib, then base64.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib
from collections.abc import Iterator
from typing import Any

from tbprof.errors import TbprofError
from tbprof.report import Facts, Timeline, open_facts
from tbprof.texts.timeline import carried_sentence
from tbprof.views.steady import us
from tbprof.views.tables.pages import PAGE_TABLES, page_of
from tbprof.views.timeline import SelectionView, TimelineStep
from tbprof.views.timeline_selection import select_episode, select_gap, select_row, tile_bytes
from tbprof.views.timeline_view import timeline_step, timeline_view

MOST_BYTES = 500_000
"""The most bytes of the tiles of one step, as they stand in the page."""

_AROUND = 0.05
"""The part of a step that is shown before and after it."""
_TILE_BITS = 10
_FINEST_LEVEL = 7
"""Buckets of 128 ns: no kernel is shorter than a few of them."""
_MOST_ROWS = 2000
"""The most rows that can be selected: the longest ones."""


def embedded_timeline(timeline: Timeline) -> dict[str, Any] | None:
    """The step that stands for a window; None where it has none."""
    if not len(timeline.facts.steps):
        return None
    index = timeline.representative_step()
    step = timeline_step(timeline, index)
    tiles, level = _tiles(timeline, step, index)
    view = timeline_view(timeline)
    content = {
        "view": dataclasses.asdict(dataclasses.replace(view, steps=(view.steps[index],))),
        "step": dataclasses.asdict(dataclasses.replace(step, index=0)),
        "selections": dict(_selections(timeline, step, index, level)),
    }
    about = carried_sentence(view.steps[index].name, len(view.steps), bucket_us=us(1 << level))
    return {"about": about, "data": _packed(json.dumps(content).encode()), "tiles": tiles}


def _tiles(timeline: Timeline, step: TimelineStep, index: int) -> tuple[dict[str, str], int]:
    """The window at its coarsest, then the step level by level, and the finest level that had room."""
    start_ns, end_ns = _range(timeline, step, index)
    tiles = {f"{timeline.highest_level}/0": _tile(timeline, timeline.highest_level, 0)}
    finest = timeline.highest_level
    for level in range(timeline.highest_level - 1, _FINEST_LEVEL - 1, -1):
        numbers = range(start_ns >> (level + _TILE_BITS), (end_ns >> (level + _TILE_BITS)) + 1)
        added = {f"{level}/{number}": _tile(timeline, level, number) for number in numbers}
        if sum(map(len, (*tiles.values(), *added.values()))) > MOST_BYTES:
            break
        tiles |= added
        finest = level
    return tiles, finest


def _tile(timeline: Timeline, level: int, number: int) -> str:
    return _packed(tile_bytes(timeline, level, number, range(len(timeline.lanes))))


def _range(timeline: Timeline, step: TimelineStep, index: int) -> tuple[int, int]:
    """The step with a little around it, since the window's first event."""
    start_ns = int(timeline.facts.steps.start_ns[index]) - timeline.facts.origin_ns
    around = int((step.end_ns - start_ns) * _AROUND)
    return max(start_ns - around, 0), min(step.end_ns + around, timeline.span_ns)


def _selections(
    timeline: Timeline, step: TimelineStep, index: int, level: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The selections of its episodes, its gaps and its longest rows, by what the browser asks for."""
    gaps = {gap.start_ns for gap in (*step.gaps, *(cause.around for cause in step.causes))}
    found = {f"gap/{at}": select_gap(timeline, at) for at in sorted(gaps)}
    found |= {f"episode/{one.number}": select_episode(timeline, one.number) for one in step.episodes}
    rows = timeline.longest_rows(*_range(timeline, step, index), 1 << level, _MOST_ROWS)
    found |= {f"row/{row}": select_row(timeline, row) for row in rows}
    for key, selection in found.items():
        if selection is not None:
            yield key, dataclasses.asdict(_in_step(selection, index))


def _in_step(selection: SelectionView, index: int) -> SelectionView:
    """In the page there is one step only."""
    is_inside = selection.step == index
    into_us = selection.into_step_us if is_inside else None
    return dataclasses.replace(selection, step=0 if is_inside else None, into_step_us=into_us)


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


MOST_ROWS = 200
"""The most rows of a table; they have nearly all of the time, and take some 20 KB."""

_TABLES = ("operators", "kernels")


def embedded_tables(facts: Facts) -> dict[str, Any]:
    """What the plugin's route would answer of each, by name; `facts` with `PAGE_TABLES`."""
    return {
        name: dataclasses.asdict(page_of(facts, name, "name", in_steps=True, most_rows=MOST_ROWS))
        for name in _TABLES
    }


def embedded_trace(path: str) -> dict[str, Any]:
    """One step of its timeline, and its tables; nothing where the file gives nothing."""
    try:
        facts = open_facts(path, tables=PAGE_TABLES, use_cache=True)
    except (TbprofError, OSError):
        return {}
    return {"timeline": embedded_timeline(Timeline(facts)), "tables": embedded_tables(facts)}
