"""A copy to the host is not waited for.

What
    A tensor is copied into pinned memory with `non_blocking=True`, and until the end of the next step
    the trace shows no synchronize and no query of an event.

Why
    Such a copy returns before it is done. Whoever reads the buffer then gets old or half-written
    numbers, mostly unnoticed, and more often the further the host is ahead.

Example
    before:
        buffer.copy_(loss.detach(), non_blocking=True)
        log(float(buffer))
    after:
        buffer.copy_(loss.detach(), non_blocking=True)
        copied = torch.cuda.Event()
        copied.record()
        copied.synchronize()
        log(float(buffer))

Action
    Wait for an event before this copy is read.

Fix
    Record an event after the copy and ask it, or wait for it, before the buffer is read; one step
    later it has passed as a rule.
    caveat: the trace shows no reads of the host: if the buffer is never read in the window, all is well.

Silent
    Not reported if any thread waits or asks before the next step has ended, in the last step of the window,
    or without recorded steps. Always `info`: this is about correct values, not about time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding
from tbprof.rules.base.evidence import wait_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import reads
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.copies.words import UnawaitedReads
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category

_CODE = "CPY10"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if site.direction != "DtoH" or site.memory != "pinned" or site.blocking:
            continue
        members = find_unawaited(facts, site.members)
        if len(members):
            yield window_finding(
                _CODE,
                place="" if site.source is None else f"{site.source.file}: {site.source.function}",
                severity="info",
                count=len(members),
                removal="needed",
                saving=None,
                confidence="low",
                evidence=wait_evidence(facts, members),
                figures=UnawaitedReads(int(facts.episodes.bytes[members].sum()), len(site.members)),
                sites=(index,),
            )


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=reads,
    no_saving="it is about a wrong result, not about time",
    kind="race",
    needs=(STEPS,),
)


_QUERY = r"(?:cuda|hip|cu)(?:Event|Stream)Query"


def find_unawaited(facts: Facts, members: Int64s) -> Int64s:
    """The episodes after which no thread waits for, or asks about, any device work.

    A wait counts from the copy's call to the end of the next step: a copy may well be read one step
    late. Copies of the last step are left out, since what follows them is not recorded.
    """
    episodes, steps = facts.episodes, facts.steps
    members = members[(episodes.step[members] != NONE) & (episodes.step[members] < len(steps) - 1)]
    asked = matching_rows(facts.trace, _QUERY, Category.RUNTIME)
    waits = np.sort(
        np.concatenate([episodes.start_ns[episodes.blocking], facts.trace.slices.start_ns[asked]]),
        kind="stable",
    )
    first = np.searchsorted(waits, episodes.end_ns[members], side="left")
    reach = steps.end_ns[episodes.step[members] + 1]
    awaited: npt.NDArray[np.bool_] = first < np.searchsorted(waits, reach, side="left")
    return members[~awaited]
