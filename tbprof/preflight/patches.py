"""All patches, in one table, installed and removed by one stack."""

from __future__ import annotations

from contextlib import ExitStack

from tbprof.preflight import (
    composites,
    cuda_stub,
    distributed,
    factories,
    moves,
    properties,
    reads,
    saving,
    surroundings,
)
from tbprof.preflight.patch import Patch, applied

__all__ = ["PATCHES", "installed"]

PATCHES: tuple[Patch, ...] = (
    *cuda_stub.PATCHES,
    *surroundings.PATCHES,
    *composites.PATCHES,
    *properties.PATCHES,
    *reads.PATCHES,
    *moves.PATCHES,
    *factories.PATCHES,
    *saving.PATCHES,
    *distributed.PATCHES,
)


def installed(patches: tuple[Patch, ...] = PATCHES) -> ExitStack:
    """Put patches in place; closing the stack takes them out, the last one first."""
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(applied(patch))
        return stack.pop_all()
