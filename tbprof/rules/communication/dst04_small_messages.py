"""Many small collectives.

What
    A step runs many collectives of one kind and group whose messages are so small that starting them takes
    longer than sending them.

Why
    Every collective has a price that does not depend on its size: some tens of microseconds in which all
    ranks come together. Hundreds of small ones pay it hundreds of times; the same bytes in a few messages
    pay it a few times, and reach the bandwidth of the link.

Example
    before:
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
    after:
        gradients = [parameter.grad for parameter in model.parameters()]
        flat = torch._utils._flatten_dense_tensors(gradients)
        dist.all_reduce(flat)
        reduced = torch._utils._unflatten_dense_tensors(flat, gradients)
        torch._foreach_copy_(gradients, reduced)

Action
    Send these messages together, in larger buckets.

Fix
    Let DistributedDataParallel or FSDP gather them (`bucket_cap_mb`, larger wrapped units), coalesce them by
    hand, or use the coalesced form of the collective.
    caveat: a bucket that is too large starts late and can no longer run beside computing.

Silent
    Not reported for fewer than 20 small collectives of a kind and group in a step, for messages known to be
    larger than 1 MB, or if they expose less than 1 % of the steps. The fastest of several equal collectives
    shows how long the transfer itself takes: from 50 us on it does not count as small.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding, Saving
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import unlaunched_ns
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.communication.kinds_and_groups import KindAndGroup, kinds_and_groups
from tbprof.rules.communication.words import SmallMessages
from tbprof.trace.columns.arrays import Int64s

_CODE = "DST04"
_MANY = 20
"""In a step."""
_SHORT_NS = 50_000
_LARGE_BYTES = 1_000_000


def find(facts: Facts) -> Iterator[Finding]:
    for one in kinds_and_groups(facts):
        small = _small(facts, one)
        exposed_ns = int(facts.collective_exposed_ns[small].sum())
        is_much = exposed_ns >= MEDIUM_SHARE * facts.steps.total_ns > 0
        if is_much and len(small) >= _MANY * len(facts.steps):
            yield _finding(facts, one, small, exposed_ns)


def _small(facts: Facts, one: KindAndGroup) -> Int64s:
    """The messages whose equals were once fast, and of which none is known to be large."""
    found, work = facts.collectives, facts.work
    length = (work.end_ns - work.start_ns)[found.at[one.members]]
    fastest = np.full(len(found.keys), np.iinfo(np.int64).max)
    np.minimum.at(fastest, found.key[one.members], length)
    sizes = [max(key.bytes_in or 0, key.bytes_out or 0) for key in found.keys]
    is_small = (fastest < _SHORT_NS) & (np.array(sizes) <= _LARGE_BYTES)
    return one.members[is_small[found.key[one.members]]]


def _finding(facts: Facts, one: KindAndGroup, small: Int64s, exposed_ns: int) -> Finding:
    won_ns = exposed_ns + unlaunched_ns(facts, facts.collectives.at[small])
    seen, won = (Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ns) for ns in (exposed_ns, won_ns))
    return window_finding(
        _CODE,
        place=one.place,
        severity=severity_of(facts, seen),
        count=len(small),
        removal="rewrite",
        saving=won,
        confidence="medium",
        evidence=row_evidence(facts, "collective", facts.work.rows[facts.collectives.at[small]]),
        figures=SmallMessages(
            place=one.place,
            per_step=round(len(small) / len(facts.steps), 1),
            exposed_per_step_ns=exposed_ns // len(facts.steps),
        ),
    )


RULE = Rule(code=_CODE, same_time_as="DST01", find=find, passing=collectives, needs=(GPU_WORK,))
