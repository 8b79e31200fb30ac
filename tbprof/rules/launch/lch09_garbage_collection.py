"""Garbage collection holds up the host.

What
    Python collects garbage in the steps, and the device runs dry meanwhile: no thread of the program runs
    Python until the collection is over.

Why
    A full collection looks at every object that is alive, also at those of the libraries and the model, which
    never become garbage. Python begins one by itself, on each rank at another moment: in a job all ranks
    wait for each of them.

Example
    before:
        for batch in loader:
            train_step(batch)
    after:
        gc.collect()
        gc.freeze()
        gc.disable()
        for step, batch in enumerate(loader):
            train_step(batch)
            if step % 1000 == 999:
                gc.collect(1)

Action
    Collect garbage seldom, at the same step on all ranks.

Fix
    After the set-up call `gc.collect()` and `gc.freeze()`, which leaves out what is alive then. Then turn
    automatic collections off with `gc.disable()`, and call `gc.collect(1)` every so many steps, on all ranks
    at the same one.
    caveat: objects that hold each other, with the tensors in them, are freed only by a collection: watch the
    memory, and collect more often where it grows.

Silent
    Not reported if the device is idle for less than 1 % of the steps because of it. What torch.compile and
    the capture of a CUDA graph collect while they compile is a part of that. Collections on other threads
    count while the training's is in no operator, since it goes on without Python's lock there.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, intersect, total_ns, union
from tbprof.model import MEDIUM_SHARE, Finding, Saving
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.launch.words import Collections, CollectionsHold

_CODE = "LCH09"
_CAUSE = "garbage_collection"


def find(facts: Facts) -> Iterator[Finding]:
    idle, held = facts.idle_of(_CAUSE), _in_steps(facts)
    idle_ns, steps = total_ns(idle), len(facts.steps)
    if idle_ns < max(MEDIUM_SHARE * facts.steps.total_ns, 1):
        return
    won_ns = max(idle_ns, earlier_host_ns(facts, held))
    yield window_finding(
        _CODE,
        place="",
        severity=severity_of_cause(facts, Saving(floor_ns=0, estimate_ns=None, ceiling_ns=idle_ns)),
        count=len(held),
        removal="rewrite",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=won_ns),
        confidence="high",
        evidence=idle_evidence(facts, idle),
        figures=CollectionsHold(
            collections=len(held),
            steps=steps,
            held_per_step_ns=total_ns(held) // steps,
            longest_ns=_longest_ns(held),
            idle_per_step_ns=idle_ns // steps,
            in_every_step=_is_full_in_every_step(facts),
        ),
    )


def _in_steps(facts: Facts) -> Intervals:
    """The collections that held up the training, each one or what of it did."""
    steps = facts.steps
    return intersect(facts.causes.states[_CAUSE], union(steps.start_ns, steps.end_ns))


def _longest_ns(held: Intervals) -> int:
    return int((held.end_ns - held.start_ns).max(initial=0))


def _is_full_in_every_step(facts: Facts) -> bool:
    """Whether each step had a full collection."""
    hook = facts.trace.facts
    counted = () if hook is None else hook.step_counters
    return bool(counted) and all(step.counts.get("gc.full", 0) for step in counted)


def _looked_at(facts: Facts) -> Collections:
    held = _in_steps(facts)
    return Collections(len(held), total_ns(held) // max(len(facts.steps), 1), _longest_ns(held))


def _are_timed(facts: Facts) -> bool:
    hook = facts.trace.facts
    return (hook is not None and hook.collections is not None) or len(facts.causes.states[_CAUSE]) > 0


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=(_CAUSE,),
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK, Need("collections of garbage", _are_timed)),
    is_timed=True,
)
