"""All patches, in one table, installed and removed by one stack."""

from __future__ import annotations

from contextlib import ExitStack

from tbprof.preflight import (
    composed,
    composites,
    cuda_stub,
    cuda_tools,
    device_type,
    distributed,
    exchanges,
    factories,
    half_precision,
    legacy_types,
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
    *cuda_tools.PATCHES,
    *device_type.PATCHES,
    *surroundings.PATCHES,
    *composites.PATCHES,
    *properties.PATCHES,
    *reads.PATCHES,
    *moves.PATCHES,
    *factories.PATCHES,
    *half_precision.PATCHES,
    *composed.PATCHES,
    *legacy_types.PATCHES,
    *exchanges.PATCHES,
    *saving.PATCHES,
    *distributed.PATCHES,
)


def installed(patches: tuple[Patch, ...] = PATCHES) -> ExitStack:
    """Put patches in place; closing the stack takes them out, the last one first."""
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(applied(patch))
        return stack.pop_all()
