"""All patches, in one table, installed and removed by one stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from tbprof.preflight import (
    child_patches,
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
    unwatched,
)
from tbprof.preflight.patch import Patch, applied, instead

__all__ = ["PATCHES", "installed", "installed_stubs"]

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
    *child_patches.PATCHES,
    *unwatched.PATCHES,
)


def installed(patches: tuple[Patch, ...] = PATCHES) -> ExitStack:
    """Put patches in place; closing the stack takes them out, the last one first."""
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(applied(patch))
        return stack.pop_all()


def installed_stubs(stub: Mapping[str, Callable[..., Any]]) -> ExitStack:
    """Put the program's own stand-ins in place."""
    rows = []
    for name, replacement in stub.items():
        owner, _, attribute = name.rpartition(".")
        rows.append(Patch(owner, attribute, instead(replacement), is_new=True))
    return installed(tuple(rows))
