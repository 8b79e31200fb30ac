"""Uploads of tensors that were made on the host just before."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.host_ops import host_ops, ops_within, top_level_ops
from tbprof.analysis.nesting import NONE
from tbprof.analysis.op_inputs import first_shape, makes_shape
from tbprof.analysis.sites import SiteMembers
from tbprof.analysis.steps import OUTSIDE
from tbprof.trace.columns import Int64s

__all__ = ["SOON_NS", "find_moved_factories"]

SOON_NS = 200_000
"""Two lines of Python that follow each other take less, with a profiler that records frames, too."""

_FACTORY = (
    r"aten::(?:(?:zeros|ones|full|rand|randn|randint)(?:_like)?|arange|eye|linspace|randperm"
    r"|fill_|zero_|normal_|uniform_|random_)$"
)
"""`aten::empty` by itself is none: so begins `torch.tensor` of a list."""

_NUMBER = "[]"


def find_moved_factories(facts: Facts, site: SiteMembers) -> Int64s:
    """Episodes of a site, in a step and on a training lane, of a tensor that the op before made.

    The op before is the last on its thread that lies in no other; it makes tensors, ran on the host
    alone, ended at most `SOON_NS` ago, and made the shape that is copied. Numbers are none.
    """
    episodes = facts.episodes
    chosen = []
    for lane in facts.training_lanes:
        mine = np.flatnonzero((episodes.lane[site.members] == lane) & (site.outermost_op != NONE))
        mine = mine[episodes.step[site.members[mine]] != OUTSIDE]
        if len(mine) == 0:
            continue
        top, makers = top_level_ops(facts, lane), set(host_ops(facts, _FACTORY, lane).tolist())
        chosen += [
            int(site.members[at])
            for at in mine.tolist()
            if _is_made_before(facts, int(site.members[at]), int(site.outermost_op[at]), top, makers)
        ]
    return np.array(sorted(chosen), np.int64)


def _is_made_before(facts: Facts, episode: int, mover: int, top: Int64s, makers: set[int]) -> bool:
    slices, calls = facts.trace.slices, facts.calls
    at = int(np.searchsorted(slices.start_ns[top], slices.start_ns[mover], side="left")) - 1
    if at < 0 or int(top[at]) not in makers:
        return False
    before = int(top[at])
    gap_ns = int(slices.start_ns[mover] - slices.start_ns[before] - slices.duration_ns[before])
    shape = first_shape(facts.trace, int(calls.ops.rows[calls.op[facts.episodes.first[episode]]]))
    if not 0 <= gap_ns <= SOON_NS or shape in ("", _NUMBER):
        return False
    return any(makes_shape(facts.trace, row, shape) for row in ops_within(facts, before).tolist())
