"""Torch computes with one thread of the host.

What
    The program computes on the CPU, the machine has several cores, and torch uses one of them.

Why
    Ops of the CPU are split over threads. A launcher that starts several processes, such as torchrun,
    sets OMP_NUM_THREADS to 1 so that they do not crowd each other, and nobody sets it back.

Example
    before:
        os.environ['OMP_NUM_THREADS'] = '1'
    after:
        os.environ['OMP_NUM_THREADS'] = str(cores_of_this_process)

Action
    Set OMP_NUM_THREADS to the cores of this process.

Fix
    Set `OMP_NUM_THREADS`, or call `torch.set_num_threads`, with the machine's cores divided by its
    processes.
    caveat: more threads than cores make all of them slower.

Silent
    Not reported with a device, on machines of fewer than four cores, or if the hook did not record the
    window.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import HOOK, Rule
from tbprof.rules.settings.switches import (
    UNMEASURED,
    as_it_should_be,
    settings,
    switch_finding,
)
from tbprof.rules.settings.words import HostThreads

_CODE = "ENV03"

LEAST_CORES = 4
"""Fewer are no machine on which more threads help."""


def find(facts: Facts) -> Iterator[Finding]:
    known = settings(facts)
    threads, cores = known.get("num_threads", ""), known.get("cpu_count", "")
    if threads == "1" and cores.isdecimal() and int(cores) >= LEAST_CORES and _is_no_device_awaited(facts):
        yield switch_finding(_CODE, "num_threads", f"1, on {cores} cores")


def _is_no_device_awaited(facts: Facts) -> bool:
    """Where a device computes, one thread is enough to launch for it."""
    return not facts.work.devices


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(settings, HostThreads),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
