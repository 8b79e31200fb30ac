"""The loader has too few workers.

What
    The loader's workers make batches more slowly than the device uses them up, and the steps say how many
    would keep up.

Why
    Workers make batches side by side, so twice as many make twice as many in the same time, as long as
    there are cores for them.

Example
    before:
        loader = DataLoader(data, batch_size=128, num_workers=4)
    after:
        loader = DataLoader(data, batch_size=128, num_workers=7)

Action
    Give the loader as many workers as keep up.

Fix
    Set `num_workers` to the number that is given: today's, times the step over the step without the wait
    for batches.
    caveat: it holds while the machine has free cores and its disk keeps up.

Silent
    Not reported if the hook did not record the window, if several loaders have workers, if none has
    (DAT02), or if the device starves for less than 5 % of the steps. DAT01 gives the saving.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import total_ns
from tbprof.model import Finding, LoaderFacts
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, HOOK, Rule
from tbprof.rules.input.loader_calls import STARVED_SHARE, find_loader_calls
from tbprof.rules.input.words import KeepingUp, LateWorkers

_CODE = "DAT03"


def find(facts: Facts) -> Iterator[Finding]:
    loader, calls = _loader(facts), find_loader_calls(facts)
    if loader is None or calls.share < STARVED_SHARE or calls.share >= 1:
        return
    yield window_finding(
        _CODE,
        place=loader.dataset,
        severity="info",
        count=len(calls.rows),
        removal="rewrite",
        saving=None,
        confidence="medium",
        evidence=idle_evidence(facts, calls.idle),
        figures=LateWorkers(
            place=loader.dataset,
            workers=loader.num_workers,
            enough=math.ceil(loader.num_workers / (1 - calls.share)),
            exposed_per_step_ns=total_ns(calls.idle) // len(facts.steps),
        ),
    )


def _loader(facts: Facts) -> LoaderFacts | None:
    """The one with workers."""
    known = () if facts.trace.facts is None else facts.trace.facts.loaders
    busy = [loader for loader in known if loader.num_workers]
    return busy[0] if len(busy) == 1 else None


def _looked_at(facts: Facts) -> KeepingUp | None:
    loader, calls = _loader(facts), find_loader_calls(facts)
    if loader is None or not len(calls.rows):
        return None
    return KeepingUp(loader.num_workers, total_ns(calls.idle) // len(facts.steps))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("input",),
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK, HOOK),
    no_saving="DAT01 has the saving",
)
