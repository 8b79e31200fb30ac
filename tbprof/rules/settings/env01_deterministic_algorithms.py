"""Deterministic algorithms are on.

What
    The program asks torch or cuDNN for algorithms that give the same result each time, to the last bit.

Why
    For many ops the fastest algorithm adds in any order. Without it sums, scatters and the backward pass
    of convolutions take slower ways, some of them several times as slow.

Example
    before:
        torch.use_deterministic_algorithms(True)
    after:
        torch.use_deterministic_algorithms(args.debug)

Action
    Turn deterministic algorithms off once nothing is debugged.

Fix
    Leave `torch.use_deterministic_algorithms` and `torch.backends.cudnn.deterministic` off, but for tests
    and for hunting a fault.
    caveat: seeds alone then give results that are equal but for rounding.

Silent
    Not reported if the hook did not record the window.
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
from tbprof.rules.settings.words import Deterministic

_CODE = "ENV01"

_SWITCHES = ("deterministic_algorithms", "cudnn.deterministic")


def find(facts: Facts) -> Iterator[Finding]:
    on = [name for name in _SWITCHES if settings(facts).get(name) == "True"]
    if on:
        yield switch_finding(_CODE, on[0], "on")


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(settings, Deterministic),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
