"""The stragglers of a job, for a terminal and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tbprof.escaping import json_text
from tbprof.texts.figures.quantities import duration, share
from tbprof.views.job.stragglers_view import ContributionRow, StragglersView

_MOST_ROWS = 8
"""Of replicas there can be hundreds; JSON has all."""


def stragglers_text(view: StragglersView) -> str:
    """The sentences, then who and what costs how much."""
    worst, last = view.worst_ranks, view.last_stage
    lines = [
        *view.sentences,
        "",
        f"{view.path}",
        f"  step, recorded  {duration(view.recorded_us)}",
        f"  step, replayed  {duration(view.replayed_us)}",
        f"  with all alike  {duration(view.ideal_us)}",
        "",
        "How many times as long as with all alike a step is, with only these as recorded:",
        *_rows("operation", view.by_kind),
        *_rows("stage", view.by_stage),
        *_rows("replica", view.by_replica),
        "",
        "Of the slowdown gone without",
        f"  the slowest ranks ({_names(worst.ranks)})  {share(worst.removed_share)}",
        f"  the last stage  {share(last.removed_share)}{_over_all(last.removed_share)}",
    ]
    return "\n".join(lines) + "\n"


def stragglers_json(view: StragglersView) -> str:
    return json_text(dataclasses.asdict(view))


def _rows(head: str, rows: Sequence[ContributionRow]) -> list[str]:
    width = max(len(row.name) for row in rows)
    shown = [f"    {row.name:<{width}}  {row.slowdown:.3f}" for row in rows[:_MOST_ROWS]]
    rest = [f"    and {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else []
    return [f"  by {head}", *shown, *rest]


def _over_all(removed_share: float) -> str:
    if removed_share <= 1:
        return ""
    return " (more than all of it: with all alike each is the mean, in which the slow ones are counted)"


def _names(ranks: Sequence[int]) -> str:
    return ", ".join(str(rank) for rank in ranks)
