"""Predicted savings beside true ones, as lines of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from prediction import Prediction

HEAD = """\
| programs | truths | in the bracket | above it | below it | error: median | 90 % | worth it | \
error: median | 90 % | error in shares of the window: 90 % | width of the bracket: median | mean |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def prediction_row(name: str, some: Sequence[Prediction]) -> str:
    """One line; errors are those of the estimates, shares those of all."""
    if not some:
        return ""
    estimated = [each for each in some if each.is_estimated]
    worth = [each for each in estimated if each.matters]
    above = sum(not each.is_inside and each.true_ns > each.predicted.ceiling_ns for each in some)
    inside = sum(each.is_inside for each in some)
    cells = (
        name,
        f"{len(some)}",
        f"{inside / len(some):.1%}",
        f"{above / len(some):.1%}",
        f"{(len(some) - inside - above) / len(some):.1%}",
        *_percentiles([each.error for each in estimated], 50, 90),
        f"{len(worth)}",
        *_percentiles([each.error for each in worth], 50, 90),
        *_percentiles([each.share_of_window for each in estimated], 90),
        *_percentiles([each.width for each in some], 50),
        f"{np.mean([each.width for each in some]):.1%}",
    )
    return f"| {' | '.join(cells)} |\n"


def _percentiles(values: Sequence[float], *wanted: int) -> list[str]:
    return [f"{np.percentile(values, percent):.1%}" if values else "-" for percent in wanted]
