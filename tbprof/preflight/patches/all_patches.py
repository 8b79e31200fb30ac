"""All patches, in one table, installed and removed by one stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from tbprof.preflight.patch import Patch, applied, instead
from tbprof.preflight.patches import (
    child_patches,
    composite_functions,
    cuda_stub,
    cuda_tools,
    device_moves,
    device_type,
    distributed,
    factories,
    legacy_types,
    memory_sharing,
    python_reads,
    serialization,
    tensor_properties,
    torch_internals,
    unwatched_processes,
)
from tbprof.preflight.watching import half_precision

PATCHES: tuple[Patch, ...] = (
    *cuda_stub.PATCHES,
    *cuda_tools.PATCHES,
    *device_type.PATCHES,
    *torch_internals.PATCHES,
    *composite_functions.PATCHES,
    *tensor_properties.PATCHES,
    *python_reads.PATCHES,
    *device_moves.PATCHES,
    *factories.PATCHES,
    *half_precision.PATCHES,
    *composite_functions.TENSOR_PATCHES,
    *legacy_types.PATCHES,
    *memory_sharing.PATCHES,
    *serialization.PATCHES,
    *distributed.PATCHES,
    *child_patches.PATCHES,
    *unwatched_processes.PATCHES,
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
