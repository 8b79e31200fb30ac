"""Another process uses the device.

What
    When the window was recorded, other processes had contexts on the same device.

Why
    Processes share a device by turns: while one runs, the other's kernels wait. Times of this window are
    then partly theirs, and no change to this program wins that time back.

Example
    before:
        CUDA_VISIBLE_DEVICES = '0'
    after:
        CUDA_VISIBLE_DEVICES = '1'

Action
    Use a device that nobody else uses.

Fix
    Look with `nvidia-smi` who is on the device, take another one, or record again when it is free.
    caveat: a process that only holds memory takes no time, and looks the same.

Silent
    Not reported if the hook could not see the other processes. Only a recording without them shows what
    they take: no saving is given.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.sharing.words import NoOtherProcess, OtherProcesses

_CODE = "SHR01"


def find(facts: Facts) -> Iterator[Finding]:
    others = _others(facts)
    if others:
        yield window_finding(
            _CODE,
            place="",
            severity="low",
            count=others,
            removal="needed",
            saving=None,
            confidence="medium",
            evidence=(),
            figures=OtherProcesses(others),
        )


def _others(facts: Facts) -> int | None:
    return None if facts.trace.facts is None else facts.trace.facts.other_gpu_processes


RULE = Rule(
    code=_CODE,
    find=find,
    passing=lambda facts: NoOtherProcess(_others(facts) or 0),
    needs=(Need("other processes of the device", lambda facts: _others(facts) is not None),),
    no_saving="only a recording without the others tells what they take",
    is_of_device=True,
)
