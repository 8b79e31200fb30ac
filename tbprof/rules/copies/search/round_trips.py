"""Copies to the host whose bytes go back to the device in the same step."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.device.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.model import SiteIndex
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among

MIN_BYTES = 64 * 1024
"""Below this equal sizes are often chance: scalars, indexes and masks of one batch."""


@dataclass(frozen=True, slots=True, eq=False)
class RoundTrip:
    """All trips that leave from one site and come back by another."""

    leaves: SiteIndex
    returns: SiteIndex
    episodes: Int64s
    """Positions of both halves of each trip, ascending."""
    steps: int
    """Steps that hold such a trip."""


def find_round_trips(facts: Facts) -> list[RoundTrip]:
    """Each read that blocks is paired with the first upload of as many bytes after it in its step."""
    episodes = facts.episodes
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    reads = _large(facts, "DtoH")
    reads = reads[episodes.blocking[reads]]
    uploads = _large(facts, "HtoD")
    for read in reads[np.argsort(episodes.end_ns[reads], kind="stable")].tolist():
        back = uploads[
            (episodes.bytes[uploads] == episodes.bytes[read])
            & (episodes.step[uploads] == episodes.step[read])
            & (episodes.start_ns[uploads] >= episodes.end_ns[read])
        ]
        if len(back):
            upload = int(back[np.argmin(episodes.start_ns[back])])
            uploads = uploads[uploads != upload]
            sites = int(facts.site_of_episode[read]), int(facts.site_of_episode[upload])
            pairs.setdefault(sites, []).append((read, upload))
    return [
        RoundTrip(
            leaves=SiteIndex(leaves),
            returns=SiteIndex(returns),
            episodes=np.sort(np.array(trips, np.int64).reshape(-1)),
            steps=len(distinct(episodes.step[np.array(trips)[:, 0]])),
        )
        for (leaves, returns), trips in sorted(pairs.items())
    ]


def _large(facts: Facts, direction: str) -> Int64s:
    """Copies of the training lanes in a step, ascending."""
    episodes = facts.episodes
    mine = (episodes.direction == DIRECTIONS.index(direction)) & (episodes.bytes > MIN_BYTES)
    mine &= (episodes.step != NONE) & is_among(episodes.lane, facts.training_threads)
    return np.flatnonzero(mine)
