"""Gradients are exchanged although they are only added up.

What
    Several forward and backward passes of DistributedDataParallel share one optimizer step, and each of them
    sends all gradients to the other ranks.

Why
    The optimizer uses the sum. Until the last pass before its step nobody needs the gradients of other
    ranks, and what is sent then is sent again, as part of the sum, at the end. Each exchange also waits for
    the rank that comes last.

Example
    before:
        for micro_batch in micro_batches:
            loss_of(model(micro_batch)).backward()
        optimizer.step()
    after:
        for micro_batch in micro_batches[:-1]:
            with model.no_sync():
                loss_of(model(micro_batch)).backward()
        loss_of(model(micro_batches[-1])).backward()
        optimizer.step()

Action
    Exchange gradients only in a step's last backward pass.

Fix
    Run forward and backward of all passes but the last within `model.no_sync()`. Accelerate does it in
    `accelerator.accumulate(model)`, Lightning with `accumulate_grad_batches`, Transformers with
    `gradient_accumulation_steps`.
    caveat: the forward has to be inside as well, for it decides whether its backward exchanges.

Silent
    Not reported if the window has no optimizer step between passes, if each step has one pass, if the
    passes send different messages (as two models do), or if the needless exchanges expose less than 1 % of
    the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import overlap_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import MEDIUM_SHARE, Finding, Saving
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import launched_inside, unlaunched_ns
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.communication.kinds_and_groups import severity_of_exchange
from tbprof.rules.communication.words import NeedlessExchange
from tbprof.trace.columns.arrays import Int64s, distinct_places, is_among
from tbprof.trace.columns.columns import Category

_CODE = "DST06"
_FORWARDS = r"DistributedDataParallel\.forward"
_STEPS = r"Optimizer\.step#"


def find(facts: Facts) -> Iterator[Finding]:
    passes = list(_needless_passes(facts))
    members = np.concatenate(passes) if passes else np.empty(0, np.int64)
    exposed_ns = int(facts.collective_exposed_ns[members].sum())
    if exposed_ns >= MEDIUM_SHARE * facts.steps.total_ns > 0:
        yield _finding(facts, members, len(passes), exposed_ns)


def _needless_passes(facts: Facts) -> Iterator[Int64s]:
    """The collectives of each pass that another one follows before an optimizer's step.

    The messages of both must be the same: else they are those of two models.
    """
    slices = facts.trace.slices
    forwards = matching_rows(facts.trace, _FORWARDS, Category.USER_ANNOTATION, Category.CPU_OP)
    starts = np.sort(slices.start_ns[forwards], kind="stable")
    stepped = matching_rows(facts.trace, _STEPS, Category.USER_ANNOTATION, Category.CPU_OP)
    steps = np.searchsorted(np.sort(slices.start_ns[stepped], kind="stable"), starts)
    exchanged = _exchanges(facts, forwards, starts)
    for this, following in zip(range(len(starts) - 1), range(1, len(starts)), strict=True):
        is_used_later = steps[this] == steps[following] < len(stepped)
        if is_used_later and _are_same(facts, exchanged[this], exchanged[following]):
            yield exchanged[this]


def _exchanges(facts: Facts, forwards: Int64s, starts: Int64s) -> list[Int64s]:
    """The all_reduces of each pass in the order of their launch; what a forward sends itself is none of
    them.
    """
    found, work = facts.collectives, facts.work
    if not len(found.keys):
        return [found.at] * len(starts)
    is_reduced = np.array([key.kind == "all_reduce" for key in found.keys], np.bool_)[found.key]
    chosen = np.flatnonzero(is_reduced & ~is_among(found.at, launched_inside(facts, forwards)))
    launched = work.launch_start_ns[found.at[chosen]]
    chosen = chosen[np.argsort(launched, kind="stable")]
    of_pass = np.searchsorted(starts, np.sort(launched, kind="stable"), side="right") - 1
    return [chosen[of_pass == number] for number in range(len(starts))]


def _are_same(facts: Facts, one: Int64s, other: Int64s) -> bool:
    key = facts.collectives.key
    return len(one) > 0 and np.array_equal(key[one], key[other])


def _finding(facts: Facts, members: Int64s, passes: int, exposed_ns: int) -> Finding:
    at = facts.collectives.at[members]
    won_ns = max(exposed_ns, _held_back_ns(facts, at)) + unlaunched_ns(facts, at)
    seen, won = (Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ns) for ns in (exposed_ns, won_ns))
    return window_finding(
        _CODE,
        place="",
        severity=severity_of_exchange(facts, seen),
        count=len(members),
        removal="drop",
        saving=won,
        confidence="high",
        evidence=row_evidence(facts, "collective", facts.work.rows[facts.collectives.at[members]]),
        figures=NeedlessExchange(
            passes=passes,
            collectives_per_step=round(len(members) / len(facts.steps), 1),
            exposed_per_step_ns=exposed_ns // len(facts.steps),
        ),
    )


def _held_back_ns(facts: Facts, at: Int64s) -> int:
    """How long these ran with nothing beside them on the stream that computes most."""
    work = facts.work
    computing = np.flatnonzero(work.is_kernel & ~facts.parts.is_communication)
    computing = computing[work.device[computing] == work.main_device]
    if not len(computing):
        return 0
    length = work.end_ns[computing] - work.start_ns[computing]
    streams, of = distinct_places(work.stream[computing])
    computing = computing[of == np.bincount(of, weights=length, minlength=len(streams)).argmax()]
    busy = union(work.start_ns[computing], work.end_ns[computing])
    beside_ns = overlap_ns(busy, work.start_ns[at], work.end_ns[at])
    return int((work.end_ns[at] - work.start_ns[at] - beside_ns).sum())


RULE = Rule(code=_CODE, find=find, passing=collectives, needs=(GPU_WORK,))
