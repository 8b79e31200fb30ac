"""An option of DistributedDataParallel costs time in each step.

What
    DistributedDataParallel copies every gradient back from its buckets, sends the model's buffers before
    each forward, or walks the whole graph of each backward for parameters without a gradient. Its options
    decide on all three, and the trace shows which of them are on.

Why
    A copy of all gradients is computing that makes nothing, and needs the memory of all gradients once
    more. A broadcast of buffers stands in front of the forward, where no computing can cover it. The walk
    happens on the host between forward and backward, while the device runs dry.

Example
    before:
        model = DistributedDataParallel(model, find_unused_parameters=True)
    after:
        model = DistributedDataParallel(model, gradient_as_bucket_view=True, broadcast_buffers=False)

Action
    Change one option of DistributedDataParallel.

Fix
    `gradient_as_bucket_view=True` makes the gradients views of the buckets. `broadcast_buffers=False` leaves
    each rank its own running statistics. `find_unused_parameters=False` is right where every parameter gets a
    gradient in every step; `static_graph=True` where it is always the same ones that get none.
    caveat: views of buckets can't be detached or replaced; buffers that differ between ranks are saved as
    rank 0 has them; a parameter that gets no gradient after all ends the training with an error.

Silent
    Not reported if what the option does takes less than 0.1 % of the steps. No trace shows whether a
    parameter goes without a gradient.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.packed_buffers import packed_buffers
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import Evidence, Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import launched_inside, unlaunched_ns
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.rules.communication.words import DdpOption
from tbprof.trace.columns.arrays import Int64s, is_among
from tbprof.trace.columns.columns import Category

_CODE = "DST03"
_LEAST_SHARE = 0.001
"""Each is one word to change."""

_COPIES = r"torch\.distributed\.ddp\.reducer::copy_bucket_to_grad"
_SEARCHES = r"torch\.distributed\.ddp\.reducer::search_unused_parameters"
_FORWARDS = r"DistributedDataParallel\.forward"


@dataclass(frozen=True, slots=True, eq=False)
class _Cost:
    option: str
    count: int
    ns: int
    """Within the steps, of all devices."""
    won_ns: int
    """At most so much, with the host's time for it."""
    evidence: tuple[Evidence, ...]


def find(facts: Facts) -> Iterator[Finding]:
    for cost in (_copies(facts), _broadcasts(facts), _searches(facts)):
        if cost.ns >= _LEAST_SHARE * facts.steps.total_ns > 0:
            yield _finding(facts, cost)


def _copies(facts: Facts) -> _Cost:
    """The copies of the gradients, one for each parameter."""
    work = facts.work
    at = launched_inside(facts, matching_rows(facts.trace, _COPIES, Category.CPU_OP))
    inside = union(facts.steps.gpu_start_ns, facts.steps.gpu_end_ns)
    spent = int(overlap_ns(inside, work.start_ns[at], work.end_ns[at]).sum())
    return _cost(facts, "gradient_as_bucket_view=True", at, spent)


def _broadcasts(facts: Facts) -> _Cost:
    """The broadcasts that the forward itself launched, and the host's packing of all buffers for them; the
    model's own broadcasts there may be others.
    """
    found = facts.collectives
    forwards = matching_rows(facts.trace, _FORWARDS, Category.USER_ANNOTATION, Category.CPU_OP)
    is_broadcast = np.array([key.kind == "broadcast" for key in found.keys], np.bool_)
    in_forward = is_among(found.at, launched_inside(facts, forwards))
    chosen = np.flatnonzero(in_forward & is_broadcast[found.key]) if len(found.keys) else found.at[:0]
    spent = int(facts.collective_exposed_ns[chosen].sum())
    spans = facts.once(packed_buffers)
    idle_ns = total_ns(intersect(facts.empty_idle, spans))
    sent = _cost(facts, "broadcast_buffers=False", found.at[chosen], spent)
    won_ns = max(sent.won_ns, spent + max(idle_ns, earlier_host_ns(facts, spans)))
    return dataclasses.replace(sent, ns=spent + idle_ns, won_ns=won_ns)


def _searches(facts: Facts) -> _Cost:
    rows = matching_rows(facts.trace, _SEARCHES, Category.CPU_OP)
    slices = facts.trace.slices
    spans: Intervals = union(slices.start_ns[rows], slices.end_of(rows))
    idle_ns = total_ns(intersect(facts.empty_idle, spans))
    won_ns = max(idle_ns, earlier_host_ns(facts, spans))
    evidence = row_evidence(facts, "call", rows)
    return _Cost("find_unused_parameters=False", len(rows), idle_ns, won_ns, evidence)


def _cost(facts: Facts, option: str, at: Int64s, ns: int) -> _Cost:
    won_ns = ns + unlaunched_ns(facts, at)
    return _Cost(option, len(at), ns, won_ns, row_evidence(facts, "kernel", facts.work.rows[at]))


def _finding(facts: Facts, cost: _Cost) -> Finding:
    seen, won = (Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ns) for ns in (cost.ns, cost.won_ns))
    return window_finding(
        _CODE,
        place=cost.option,
        severity=severity_of_transfer(facts, seen),
        count=cost.count,
        removal="rewrite",
        saving=won,
        confidence="high",
        evidence=cost.evidence,
        figures=DdpOption(
            place=cost.option,
            per_step_ns=cost.ns // len(facts.steps),
            share=cost.ns / facts.steps.total_ns,
        ),
    )


RULE = Rule(code=_CODE, answers=("host_bound",), find=find, passing=collectives, needs=(GPU_WORK,))
