"""Where the time of a whole run went, as text and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tbprof.escaping import json_text, plain
from tbprof.texts.figures.quantities import count, share
from tbprof.texts.run_time import long_duration
from tbprof.views.run_time import RunPartRow, RunPauseRow, RunTimeView

_MOST_PAUSES = 5


def run_time_json(view: RunTimeView) -> str:
    """All that the page Run shows."""
    return json_text({"schema": 1, "run_time": dataclasses.asdict(view)})


def run_time_text(view: RunTimeView) -> str:
    """The headline, a line a part, and what to change."""
    return "".join(f"{plain(line)}\n" for line in _lines(view))


def _lines(view: RunTimeView) -> Iterator[str]:
    yield view.headline
    yield from view.sentences
    yield ""
    width = max(len(row.name) for row in view.parts)
    for row in view.parts:
        yield _part_line(row, width)
    if view.advice:
        yield ""
        yield from (f"  - {advice}" for advice in view.advice)
    longest = sorted(view.pauses, key=lambda row: -row.us)[:_MOST_PAUSES]
    if longest:
        yield ""
        yield "The longest pauses:"
        yield from map(_pause_line, longest)


def _pause_line(row: RunPauseRow) -> str:
    rank = "" if row.rank is None else f", rank {row.rank}"
    place = f", {row.place}" if row.place else ""
    return f"  {long_duration(row.us):>9}  after step {row.step}{rank}: {row.name}{place}"


def _part_line(row: RunPartRow, width: int) -> str:
    gpu = "" if row.gpu_h is None else f"  {row.gpu_h:9.2f} GPU-h"
    often = count(row.count, "step") if row.part == "steps" else f"{row.count}x" if row.count else ""
    return f"  {row.name:<{width}}  {long_duration(row.us):>9}  {share(row.share):>6}{gpu}  {often}".rstrip()
