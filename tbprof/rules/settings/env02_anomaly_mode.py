"""Anomaly detection is on.

What
    Autograd checks each gradient for NaN, and keeps a stack of Python for each op of the forward pass.

Why
    Each check reads a number from the device, and each stack takes the host longer than the launch
    itself. A training with it takes a multiple of the time.

Example
    before:
        torch.autograd.set_detect_anomaly(True)
    after:
        torch.autograd.set_detect_anomaly(args.debug)

Action
    Turn anomaly detection off.

Fix
    Use `torch.autograd.detect_anomaly()` around the steps that are looked into, and nowhere else.
    caveat: without it a NaN shows only in the loss.

Silent
    Not reported if the hook did not record the window. SYN12 reports the waits that it causes.
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
from tbprof.rules.settings.words import AnomalyMode

_CODE = "ENV02"


def find(facts: Facts) -> Iterator[Finding]:
    if settings(facts).get("anomaly_mode") == "True":
        yield switch_finding(_CODE, "anomaly_mode", "on", severity="medium")


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(settings, AnomalyMode),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
