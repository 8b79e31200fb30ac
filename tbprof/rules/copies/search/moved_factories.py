"""Uploads of tensors that were made on the host just before."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.rules.copies.search.host_ops import first_from, host_ops, ops_of, ops_within, top_level_ops
from tbprof.rules.copies.search.op_inputs import UNKNOWN, first_shape, makes_shape
from tbprof.trace.columns.arrays import NONE, Int64s

SOON_NS = 200_000
"""Two lines of Python that follow each other take less, with a profiler that records frames, too."""

_FACTORY = (
    r"aten::(?:(?:zeros|ones|full|rand|randn|randint)(?:_like)?|arange|eye|linspace|randperm"
    r"|fill_|zero_|normal_|uniform_|random_)$"
)
"""`aten::empty` by itself is none: so begins `torch.tensor` of a list."""

_NUMBER = "[]"


@dataclass(frozen=True, slots=True, eq=False)
class MovedFactories:
    """One entry a copy."""

    members: Int64s
    """Its episode, ascending."""
    makers: Int64s
    """Row of the op that made what it copies."""


def find_moved_factories(facts: Facts, site: SiteMembers) -> MovedFactories:
    """Episodes of a site, in a step and on a training lane, of a tensor that the op before made.

    The op before is the last on its thread that lies in no other; it makes tensors, ran on the host
    alone, ended at most `SOON_NS` ago, and made the shape that is copied. Numbers are none.
    """
    episodes = facts.episodes
    chosen: list[tuple[int, int]] = []
    for lane in facts.training_threads:
        mine = np.flatnonzero((episodes.lane[site.members] == lane) & (site.outermost_op != NONE))
        mine = mine[episodes.step[site.members[mine]] != NONE]
        if len(mine) == 0:
            continue
        ops, makers = ops_of(facts, lane), set(host_ops(facts, _FACTORY, lane).tolist())
        top = top_level_ops(facts, ops)
        chosen += [
            (int(site.members[at]), before)
            for at in mine.tolist()
            for before in _before(facts, int(site.outermost_op[at]), top)
            if before in makers and _makes(facts, int(site.members[at]), ops_within(facts, ops, before))
        ]
    members, makers = np.array(sorted(chosen), np.int64).reshape(-1, 2).T
    return MovedFactories(members, makers)


def _before(facts: Facts, mover: int, top: Int64s) -> list[int]:
    """The op of the top level that ended before this one, at most `SOON_NS` ago; none if there is none."""
    slices = facts.trace.slices
    at = first_from(facts, top, int(slices.start_ns[mover])) - 1
    if at < 0:
        return []
    before = int(top[at])
    gap_ns = int(slices.start_ns[mover] - slices.start_ns[before] - slices.duration_ns[before])
    return [before] if 0 <= gap_ns <= SOON_NS else []


def _makes(facts: Facts, episode: int, ops: Int64s) -> bool:
    """Whether one of these ops makes the shape that the episode copies."""
    copy = int(facts.calls.ops.rows[facts.calls.op[facts.episodes.first[episode]]])
    shape = first_shape(facts.trace, copy)
    if shape in (UNKNOWN, _NUMBER):
        return False
    return any(makes_shape(facts.trace, row, shape) for row in ops.tolist())
