"""How long ranks waited in their collectives for the last to arrive, and who that was.

All ranks leave a collective together, so that who arrives last has the shortest row, and waits for nobody. No
clock takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tbprof.job.ranks.matching import MatchedGroup
from tbprof.job.ranks.rank_record import Int64s, RankRecord

__all__ = ["NOBODY", "SAME_NS", "SAME_SHARE", "Arrivals", "arrivals_of"]

NOBODY = -1

SAME_SHARE = 0.02
SAME_NS = 5_000
"""A rank is late only if its row is shorter than the next by more than both: below that it is noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """Of one group; arrays have the shape (collectives, ranks) or (collectives)."""

    group: MatchedGroup
    step: Int64s
    transfer_ns: Int64s
    """By rank: all the same, but of a send."""
    wait_ns: Int64s
    """By rank; with the transfer it is the row's duration."""
    late: Int64s
    """Position of the late rank in the group, or `NOBODY`."""
    late_ns: Int64s
    """How late: the median wait of the others."""


def arrivals_of(group: MatchedGroup, records: Sequence[RankRecord]) -> Arrivals:
    """Divide the duration of every matched collective."""
    own = [records[at] for at in group.ranks]
    columns = list(zip(own, group.at.T, strict=True))
    duration = np.stack([record.duration_ns[at] for record, at in columns], axis=1)
    sends = np.stack([_is_send(record)[record.message[at]] for record, at in columns], axis=1)
    shortest = np.broadcast_to(duration.min(axis=1, keepdims=True), duration.shape)
    # A send may be buffered: only who receives is known to wait.
    transfer = np.where(sends, duration, shortest)
    wait = duration - transfer
    ordered = np.sort(duration, axis=1)
    first, second = ordered[:, 0], ordered[:, 1]
    late = duration.argmin(axis=1)
    is_nobody = second - first <= np.maximum(SAME_SHARE * second, SAME_NS)
    late_ns = _median_of_others(wait, late)
    is_nobody |= wait.sum(axis=1) == 0
    return Arrivals(
        group=group,
        step=columns[0][0].step[columns[0][1]],
        transfer_ns=transfer,
        wait_ns=wait,
        late=np.where(is_nobody, NOBODY, late),
        late_ns=np.where(is_nobody, 0, late_ns),
    )


def _is_send(record: RankRecord) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([message.kind == "send" for message in record.messages], bool)


def _median_of_others(wait: Int64s, late: Int64s) -> Int64s:
    others = np.arange(wait.shape[1]) != late[:, None]
    median = np.median(wait[others].reshape(len(wait), -1), axis=1)
    found: Int64s = np.rint(median).astype(np.int64)
    return found
