"""Copy calls of a window by direction and memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.device.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.events.episodes import Episodes
from tbprof.analysis.events.transfers import Transfers
from tbprof.model import CopyTotal
from tbprof.trace.columns.arrays import NONE


def copy_totals(episodes: Episodes, transfers: Transfers) -> tuple[CopyTotal, ...]:
    """One row a kind, most bytes first. Copy calls without a device row are none of them."""
    real = np.flatnonzero(episodes.is_copy & (episodes.record != NONE))
    kinds = np.stack([episodes.direction[real], episodes.memory[real]], axis=1)
    rows = []
    for direction, memory in distinct_lines(kinds)[0].tolist():
        mine = real[(kinds[:, 0] == direction) & (kinds[:, 1] == memory)]
        rows.append(
            CopyTotal(
                direction=DIRECTIONS[direction],
                memory=MEMORIES[memory],
                count=len(mine),
                bytes=int(episodes.bytes[mine].sum()),
                blocking=int(episodes.blocking[mine].sum()),
                wait_ns=int(episodes.wait_ns[mine[episodes.blocking[mine]]].sum()),
                device_ns=int(transfers.device_ns[mine].sum()),
                exposed_ns=int(transfers.exposed_ns[mine].sum()),
                best_bytes_per_s=_best_speed(transfers.bytes_per_s[mine]),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.direction, row.memory)))


def _best_speed(bytes_per_s: npt.NDArray[np.float64]) -> int | None:
    """Of the fastest copy, in bytes a second; None where none is known."""
    known = bytes_per_s[np.isfinite(bytes_per_s)]
    return int(known.max()) if len(known) else None
