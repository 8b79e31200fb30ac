"""A tensor is made on the host and moved at once.

What
    `torch.zeros(n).to(device)`, and so `ones`, `full`, `arange`, `randn` and their like: the tensor is
    filled on the host, copied from pageable memory, and the host waits until it has arrived.

Why
    The device could have made it with one small kernel. Instead the step pays the filling, the copy and
    a sync point that takes the host's lead away.

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
    For tensors that were made on the device, for other shapes than that made just before, for numbers
    without a dimension, outside the steps, and without recorded shapes.
    At most info where the device hardly ever runs dry. At most the waits for the copies and the filling on
    the host are won.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tbprof.analysis.arrays.intervals import union
from tbprof.analysis.facts import Facts
from tbprof.analysis.savings.savings import earlier_host_ns
from tbprof.model import Finding, Saving
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import UPLOADS
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.copies.search.moved_factories import find_moved_factories
from tbprof.rules.copies.search.op_inputs import records_shapes
from tbprof.trace.columns.arrays import Int64s

_CODE = "CPY04"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if site.direction != "HtoD":
            continue
        moved = find_moved_factories(facts, site)
        members = moved.members
        if len(members):
            numbers = {"bytes": int(facts.episodes.bytes[members].sum())}
            found = waits_finding(facts, (index,), members, rule=_CODE, removal="rewrite", numbers=numbers)
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
    needs=(Need("shapes", lambda facts: records_shapes(facts.trace)),),
    find=find,
    passing=UPLOADS,
    kind="upload",
    before=("CPY03", "CPY05"),
)
