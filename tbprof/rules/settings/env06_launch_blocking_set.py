"""Launches are set to wait for their kernels.

What
    A variable of the environment makes every launch wait until its kernel is done.

Why
    The host can't run ahead of the device any more: each kernel waits for its launch, and nothing
    overlaps. It is meant for finding the op that fails.

Example
    before:
        os.environ['CUDA_LAUNCH_BLOCKING'] = '1'
    after:
        os.environ.pop('CUDA_LAUNCH_BLOCKING', None)

Action
    Unset the variable once the failing op is found.

Fix
    Unset it in the shell, the job's script and the notebook.
    caveat: without it, an error of a kernel is reported by a later op.

Silent
    Not reported without a GPU, or if the hook did not record the window. SYN11 reports the waits themselves
    in any trace.
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
from tbprof.rules.settings.words import LaunchBlocking

_CODE = "ENV06"

_VARIABLES = ("CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL")


def find(facts: Facts) -> Iterator[Finding]:
    for name in _VARIABLES:
        value = device_variables(facts).get(name, "")
        if value not in ("", "0"):
            yield switch_finding(_CODE, name, value, severity="medium")
            return


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(device_variables, LaunchBlocking),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
