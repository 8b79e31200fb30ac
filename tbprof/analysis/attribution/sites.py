"""Sites: episodes of one origin, counted together.

The key is direction, memory, calls, op chain, source, and whether they blocked. A site
holds the copies that did not block as well, and its wait is the whole host time of all its
calls, so the sum over sites may exceed that of the sync points. Waits of several threads
are added.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.attribution.annotations import find_labels, find_modules, module_name
from tbprof.analysis.attribution.op_chains import find_op_chains
from tbprof.analysis.attribution.recorded_lines import with_recorded_lines
from tbprof.analysis.attribution.sources import find_sources
from tbprof.analysis.device.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.events.calls import Calls
from tbprof.analysis.events.episodes import Episodes
from tbprof.analysis.events.steps import Steps
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Trace


@dataclass(frozen=True, slots=True, eq=False)
class SiteMembers:
    """One site: its key, and the positions of its episodes, ascending."""

    direction: str
    memory: str
    calls: tuple[str, ...]
    ops: tuple[str, ...]
    source: Source | None
    blocking: bool
    label: str | None
    """The most frequent one of its episodes, of equals the first by name; part of no key."""
    module: str | None
    members: Int64s
    outermost_op: Int64s
    """Row of the outermost op of each episode, or `nesting.NONE`."""


def find_sites(
    trace: Trace, calls: Calls, episodes: Episodes, steps: Steps, frames: Nest
) -> tuple[SiteMembers, ...]:
    """Group the episodes; longest wait first, then in the order of their first appearance.

    `frames` are the user's.
    """
    chains = find_op_chains(trace, calls, episodes.first)
    frame, sources_of_frames = find_sources(trace, calls, episodes.first, frames)
    audit = None if trace.facts is None else trace.facts.audit
    names = trace.slices.name[calls.rows]
    call_names = [trace.names[name] for name in names[episodes.first].tolist()]
    source, sources = with_recorded_lines(
        audit, episodes, chains, steps, call_names, frame, sources_of_frames
    )
    labels = find_labels(trace, calls, episodes.first)
    modules = find_modules(trace, calls, episodes.first)
    joined_name = np.where(episodes.joined == NONE, NONE, names[episodes.joined])
    key = np.stack(
        [
            episodes.direction,
            episodes.memory,
            names[episodes.first],
            joined_name,
            chains.chain,
            source,
            episodes.blocking,
        ],
        axis=1,
    )
    return tuple(
        SiteMembers(
            direction=DIRECTIONS[direction],
            memory=MEMORIES[memory],
            calls=tuple(trace.names[i] for i in (first, joined) if i != NONE),
            ops=chains.names[chain],
            source=None if at == NONE else sources[at],
            blocking=bool(blocking),
            label=_most_frequent(trace, labels[members]),
            module=_module(trace, modules[members]),
            members=members,
            outermost_op=chains.outermost[members],
        )
        for (direction, memory, first, joined, chain, at, blocking), members in _groups(key, episodes)
    )


def _groups(key: Int64s, episodes: Episodes) -> list[tuple[list[int], Int64s]]:
    if len(key) == 0:
        return []
    distinct, which = distinct_lines(key)
    order = np.argsort(which, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(which))[:-1])
    groups = list(zip(distinct.tolist(), parts, strict=True))
    wait = episodes.wait_ns

    def rank(group: tuple[list[int], Int64s]) -> tuple[int, int, int]:
        members = group[1]
        start = episodes.start_ns[members]
        return -int(wait[members].sum()), int(start.min()), int(members[0])

    return sorted(groups, key=rank)


def _most_frequent(trace: Trace, names: Int64s) -> str | None:
    known, count = np.unique(names[names != NONE], return_counts=True)
    return min((trace.names[i] for i in known[count == count.max(initial=0)].tolist()), default=None)


def _module(trace: Trace, names: Int64s) -> str | None:
    frame = _most_frequent(trace, names)
    return None if frame is None else module_name(frame)
