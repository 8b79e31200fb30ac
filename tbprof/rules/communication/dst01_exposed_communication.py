"""Communication is not overlapped with computing.

What
    Collectives of one kind and group run on the device while nothing is computed beside them. Part of that
    time data is sent; the rest the device waits for a rank that is not there yet.

Why
    The device looks busy, and the step gets no further. Where it is transfer, computing could run beside
    it, or less could be sent. Where it is waiting, nothing on this rank shortens it: the late rank does.

Example
    before:
        model = DistributedDataParallel(model, bucket_cap_mb=1000)
    after:
        model = DistributedDataParallel(model, bucket_cap_mb=25, gradient_as_bucket_view=True)

Action
    Find the late rank; if there is none, overlap this communication.

Fix
    The page Job, and `tbprof job`, name the rank that the others wait for, and why, from the windows of all
    ranks in one folder. If none is late, start the collective as soon as its data is there and
    wait for it as late as possible (buckets of DDP, prefetch of FSDP, `async_op=True`), and send less: lower
    precision, fewer exchanges while gradients accumulate.
    caveat: kernels that compute beside communication share multiprocessors and memory with it.

Silent
    Not reported if exposed communication of the kind and group takes less than 1 % of the steps. The trace
    of one rank does not tell transfer from waiting: the exposed time is the most that can be saved, there
    is no estimate, and the class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding, Saving
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.communication.kinds_and_groups import KindAndGroup, kinds_and_groups, severity_of_exchange
from tbprof.rules.communication.words import ExposedCommunication

_CODE = "DST01"


def find(facts: Facts) -> Iterator[Finding]:
    for one in kinds_and_groups(facts):
        exposed_ns = int(facts.collective_exposed_ns[one.members].sum())
        if exposed_ns >= MEDIUM_SHARE * facts.steps.total_ns > 0:
            yield _finding(facts, one, exposed_ns)


def _finding(facts: Facts, one: KindAndGroup, exposed_ns: int) -> Finding:
    waited_ns = int(facts.surely_waited_ns[one.members].sum())
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=exposed_ns)
    shown = one.members[facts.collective_exposed_ns[one.members] > 0]
    return window_finding(
        _CODE,
        place=one.place,
        severity=severity_of_exchange(facts, saving),
        count=len(one.members),
        removal="rewrite",
        saving=saving,
        confidence="medium",
        evidence=row_evidence(facts, "collective", facts.work.rows[facts.collectives.at[shown]]),
        figures=ExposedCommunication(
            place=one.place,
            exposed_per_step_ns=exposed_ns // len(facts.steps),
            share=exposed_ns / facts.steps.total_ns,
            waiting_per_step_ns=waited_ns // len(facts.steps),
            no_transfer_per_step_ns=int(facts.no_transfer_ns[one.members].sum()) // len(facts.steps),
        ),
    )


RULE = Rule(
    code=_CODE,
    answers=("communication",),
    find=find,
    passing=collectives,
    needs=(GPU_WORK,),
    is_of_device=True,
)
