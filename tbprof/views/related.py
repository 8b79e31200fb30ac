"""Recordings of one folder: ranks of one job, or unrelated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

from tbprof.file_names import rank_of
from tbprof.records import dataclass

_APART_NS = 6 * 3600 * 1_000_000_000
"""Ranks record the same steps; hours apart, the clocks of hosts or two trainings are."""

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Recording:
    """What tells whether it is a rank, and of which job."""

    worker: str
    rank: int | None
    world_size: int | None
    has_collectives: bool
    recorded_ns: int
    """0 where nobody knows."""


def unrelated(recordings: Mapping[_Key, Recording]) -> frozenset[_Key]:
    """The recordings that are no rank of the job that most are of; all where no two are ranks of one."""
    if len(recordings) < 2:
        return frozenset()
    worlds = Counter(one.world_size for one in recordings.values() if (one.world_size or 0) > 1)
    world = max(worlds, key=lambda size: (worlds[size], size or 0), default=None)
    ranks = {key: one for key, one in recordings.items() if _can_be(one, world)}
    newest_ns = max((one.recorded_ns for one in ranks.values()), default=0)
    near = {
        key for key, one in ranks.items() if not one.recorded_ns or newest_ns - one.recorded_ns <= _APART_NS
    }
    if len(near) < 2:
        return frozenset(recordings)
    return frozenset(recordings.keys() - near)


def _can_be(one: Recording, world: int | None) -> bool:
    """Whether it may be a rank: of a known world, or by its name, or as it exchanges something."""
    if one.world_size is not None and one.world_size > 1:
        return one.world_size == world
    return one.world_size is None and (one.has_collectives or rank_of(one.worker) is not None)
