"""What a GPU's allocator says at the moment at which it fails: before any tensor of the failed step is gone.

`torch._C._cuda_attach_out_of_memory_observer` calls with the device, what was asked for, what there is in all
and what of it is free. What such a call raises takes the place of the error, and one that is attached stays
for ever, so that there is one for the process and it raises nothing. It is called for failures that the
program gets over as well, as where a convolution tries another algorithm: the latest is kept, and nothing is
written.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import torch

from tbprof.hook.memory.allocator_snapshot import snapshot_of
from tbprof.hook.safety.program_errors import let_through


@dataclass(frozen=True, slots=True)
class FailedAllocation:
    """Sizes at the moment of the failure."""

    device: int
    total_bytes: int
    free_bytes: int
    allocated_bytes: int | None
    reserved_bytes: int | None
    """None where the allocator keeps no figures."""
    snapshot: bytes | None


@dataclass(slots=True)
class _Watch:
    is_attached: bool = False
    latest: FailedAllocation | None = None


_WATCH = _Watch()


def watch_allocations() -> None:
    """From now on, in this process; without a GPU that is in use, nothing is done."""
    if _WATCH.is_attached or not torch.cuda.is_initialized():
        return
    _WATCH.is_attached = True
    # Another allocator takes no observer, and a device that failed answers nothing.
    with contextlib.suppress(RuntimeError, AttributeError):
        torch._C._cuda_attach_out_of_memory_observer(_observe)


def latest_failure(device: int) -> FailedAllocation | None:
    """That of the device, once: the next error is another one."""
    latest = _WATCH.latest
    if latest is None or latest.device != device:
        return None
    _WATCH.latest = None
    return latest


def _observe(device: int, _: int, total_bytes: int, free_bytes: int) -> None:
    try:
        _WATCH.latest = None
        allocated, reserved = _allocated_and_reserved(device)
        _WATCH.latest = FailedAllocation(
            device, total_bytes, free_bytes, allocated, reserved, snapshot_of(device)
        )
    except Exception as fault:  # noqa: BLE001 - the error that is on its way is the program's
        let_through(fault)


def _allocated_and_reserved(device: int) -> tuple[int | None, int | None]:
    try:
        said = torch.cuda.memory_stats_as_nested_dict(device)
        return said["allocated_bytes"]["all"]["current"], said["reserved_bytes"]["all"]["current"]
    except (RuntimeError, KeyError):
        return None, None
