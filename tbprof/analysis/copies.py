"""Copy calls of a window by direction and memory."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.episodes import ABSENT, Episodes
from tbprof.model import CopyTotal

__all__ = ["copy_totals"]


def copy_totals(episodes: Episodes) -> tuple[CopyTotal, ...]:
    """One row a kind, most bytes first. Copy calls without a device row are none of them."""
    real = np.flatnonzero(episodes.is_copy & (episodes.record != ABSENT))
    kinds = np.stack([episodes.direction[real], episodes.memory[real]], axis=1)
    rows = []
    for direction, memory in np.unique(kinds, axis=0).tolist() if len(real) else []:
        mine = real[(kinds[:, 0] == direction) & (kinds[:, 1] == memory)]
        rows.append(
            CopyTotal(
                direction=DIRECTIONS[direction],
                memory=MEMORIES[memory],
                count=len(mine),
                bytes=int(episodes.bytes[mine].sum()),
                blocking=int(episodes.blocking[mine].sum()),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.direction, row.memory)))
