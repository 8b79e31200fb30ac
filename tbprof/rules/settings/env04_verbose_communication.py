"""The communication library writes a log.

What
    NCCL_DEBUG is INFO or TRACE.

Why
    Every rank writes lines for each communicator, and with TRACE for each collective, to the terminal or
    a shared file system.

Example
    before:
        os.environ['NCCL_DEBUG'] = 'INFO'
    after:
        os.environ['NCCL_DEBUG'] = 'WARN'

Action
    Set NCCL_DEBUG to WARN.

Fix
    Leave `NCCL_DEBUG` unset or at `WARN`, and raise it while a fault of the network is looked for.
    caveat: warnings stay visible with WARN.

Silent
    Not reported without a GPU, or if the hook did not record the window.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import HOOK, Rule
from tbprof.rules.settings.switches import (
    UNMEASURED,
    as_it_should_be,
    device_variables,
    switch_finding,
)
from tbprof.rules.settings.words import NcclDebug

_CODE = "ENV04"

_VERBOSE = ("INFO", "TRACE")


def find(facts: Facts) -> Iterator[Finding]:
    level = device_variables(facts).get("NCCL_DEBUG", "").upper()
    if level in _VERBOSE:
        yield switch_finding(_CODE, "NCCL_DEBUG", level)


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(device_variables, NcclDebug),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
