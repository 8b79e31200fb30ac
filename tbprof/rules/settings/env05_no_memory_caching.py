"""The allocator's cache is off.

What
    PYTORCH_NO_CUDA_MEMORY_CACHING is set: each tensor is allocated by the driver and freed again.

Why
    The driver takes long to allocate, and freeing waits for the whole device. A step allocates some
    thousand tensors.

Example
    before:
        os.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'] = '1'
    after:
        os.environ.pop('PYTORCH_NO_CUDA_MEMORY_CACHING', None)

Action
    Turn the caching allocator on again.

Fix
    Unset PYTORCH_NO_CUDA_MEMORY_CACHING, and on ROCm PYTORCH_NO_HIP_MEMORY_CACHING too; they are for
    tools that look for faults of memory. An allocator of your own needs a cache of its own.
    caveat: with the cache more memory stays reserved than is in use.

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
from tbprof.rules.settings.words import MemoryCaching

_CODE = "ENV05"


def find(facts: Facts) -> Iterator[Finding]:
    value = device_variables(facts).get("PYTORCH_NO_CUDA_MEMORY_CACHING", "")
    if value not in ("", "0"):
        yield switch_finding(_CODE, "PYTORCH_NO_CUDA_MEMORY_CACHING", value, severity="medium")


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(device_variables, MemoryCaching),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
