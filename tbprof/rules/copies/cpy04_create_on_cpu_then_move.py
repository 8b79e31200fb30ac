"""A tensor is made on the host and moved at once.

What
    `torch.zeros(n).to(device)`, and so `ones`, `full`, `arange`, `randn` and their like: the tensor is
    filled on the host, copied from pageable memory, and the host waits until it has arrived.

Why
    The device could have made it with one small kernel. Instead the step pays the filling, the copy and
    a sync point, after which the host no longer runs ahead.

Example
    before:
        mask = torch.ones(x.shape[0], x.shape[1]).to(x.device)
        noise = torch.randn(batch, 128).cuda()
    after:
        mask = torch.ones(x.shape[0], x.shape[1], device=x.device)
        noise = torch.randn(batch, 128, device=device)

Action
    Make this tensor on the GPU.

Fix
    Name the device where the tensor is made: `device=x.device`, `x.new_zeros(...)`,
    `torch.zeros_like(x)`.
    caveat: random numbers of the device differ from those of the host under the same seed.

Silent
    Not reported for tensors made on the device, for a shape that differs from the tensor made just before,
    for numbers without a dimension, outside the steps, or without recorded shapes. The most that can be
    saved is the waits for the copies and the filling on the host. Only `info` if the GPU rarely runs out of
    work.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import union
from tbprof.model import Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.copies.host_ops import (
    UNKNOWN,
    first_from,
    first_shape,
    host_ops,
    makes_shape,
    ops_of,
    ops_within,
    records_shapes,
    top_level_ops,
)
from tbprof.rules.copies.words import MovedFactories
from tbprof.trace.columns.arrays import NONE, Int64s

_CODE = "CPY04"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if site.direction != "HtoD":
            continue
        moved = find_moved_factories(facts, site)
        members = moved.members
        if len(members):
            figures = MovedFactories(int(facts.episodes.bytes[members].sum()))
            found = waits_finding(facts, (index,), members, rule=_CODE, removal="rewrite", figures=figures)
            yield dataclasses.replace(found, saving=_with_making(facts, found.saving, moved.makers))


def _with_making(facts: Facts, waits: Saving | None, makers: Int64s) -> Saving | None:
    """At most what the waits cost, and the time in which the host fills the tensors."""
    if waits is None:
        return None
    slices = facts.trace.slices
    making_ns = earlier_host_ns(facts, union(slices.start_ns[makers], slices.end_of(makers)))
    ceiling_ns = min(waits.ceiling_ns + making_ns, facts.fillable_ns)
    return Saving(waits.floor_ns, None, max(ceiling_ns, waits.ceiling_ns))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    edit="make_on_device",
    needs=(Need("shapes", lambda facts: records_shapes(facts.trace)),),
    find=find,
    passing=uploads,
    kind="upload",
    before=("CPY03", "CPY05"),
)


SOON_NS = 200_000
"""Two lines of Python that follow each other take less, with a profiler that records frames, too."""

_FACTORY = (
    r"aten::(?:(?:zeros|ones|full|rand|randn|randint)(?:_like)?|arange|eye|linspace|randperm"
    r"|fill_|zero_|normal_|uniform_|random_)$"
)
"""`aten::empty` by itself is none: so begins `torch.tensor` of a list."""

_NUMBER = "[]"


@dataclass(frozen=True, slots=True, eq=False)
class FactoryCopies:
    """One entry a copy."""

    members: Int64s
    """Its episode, ascending."""
    makers: Int64s
    """Row of the op that made what it copies."""


def find_moved_factories(facts: Facts, site: SiteMembers) -> FactoryCopies:
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
    return FactoryCopies(members, makers)


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
