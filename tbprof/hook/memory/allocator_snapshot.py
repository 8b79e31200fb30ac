"""A snapshot of torch's allocator on CUDA, and its history in one step: bounded, and no fault of the step.

`torch.cuda.memory` documents `_record_memory_history`, `_snapshot` and what they cost: 2 us an allocation
with Python's frames, and a copy of all blocks. Where the program records a history of its own, it is left
alone.

What a GPU's allocator says at the moment at which it fails: before any tensor of the failed step is gone.

`torch._C._cuda_attach_out_of_memory_observer` calls with the device, what was asked for, what there is in all
and what of it is free. What such a call raises takes the place of the error, and one that is attached stays
for ever, so that there is one for the process and it raises nothing. It is called for failures that the
program gets over as well, as where a convolution tries another algorithm: the latest is kept, and nothing is
written.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
from dataclasses import dataclass
from typing import Any

import torch

from tbprof.hook.safety.guard import let_through

logger = logging.getLogger("tbprof")

MOST_EVENTS = 20_000
"""The most events of a step; the older ones go."""
MOST_BLOCKS = 20_000
"""Some 20 us each: more would hold the training, or an exception, up for half a second."""
MOST_BYTES = 32 * 1024 * 1024
"""The tab reads no larger one."""

_REFUSALS = (RuntimeError, TypeError, AttributeError, KeyError)
"""What another allocator, a failed device or another version of torch raises: none of these names is
promised."""


class AllocatorHistory:
    """Recorded from `begin` to `end`, unless there is no GPU or somebody else records it."""

    def __init__(self) -> None:
        self._is_ours = False

    def begin(self) -> None:
        """Record from here on."""
        try:
            if torch.cuda.is_initialized() and not torch._C._cuda_isHistoryEnabled():
                # Before: a handler of the program may raise in between.
                self._is_ours = True
                torch.cuda.memory._record_memory_history(
                    "all", context="alloc", stacks="python", max_entries=MOST_EVENTS
                )
        except _REFUSALS as error:
            self._is_ours = False
            logger.info("The allocator's history is not recorded: %s", error)

    def end(self, device: int) -> bytes | None:
        """Record no more; what there is, as `torch.cuda.memory._dump_snapshot` writes it."""
        found = snapshot_of(device) if self._is_ours else None
        self.abandon()
        return found

    def abandon(self) -> None:
        """Record no more, and keep nothing."""
        if self._is_ours:
            try:
                torch.cuda.memory._record_memory_history(None)
            except _REFUSALS as error:
                logger.info("The allocator's history goes on being recorded: %s", error)
        self._is_ours = False


def snapshot_of(device: int) -> bytes | None:
    """The snapshot of all devices; None where there is none, or where it would take long, as this device
    tells.
    """
    try:
        blocks = torch.cuda.memory_stats_as_nested_dict(device)["active"]["all"]["current"]
        if blocks > MOST_BLOCKS:
            return None
        return _dumped(torch.cuda.memory._snapshot())
    except _REFUSALS as error:
        logger.info("There is no snapshot of the allocator: %s", error)
        return None


def _dumped(snapshot: dict[str, Any]) -> bytes | None:
    written = pickle.dumps(snapshot)
    if len(written) > MOST_BYTES:
        written = pickle.dumps({**snapshot, "device_traces": []})
    return written if len(written) <= MOST_BYTES else None


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
    """Watch allocations in this process from now on; without a GPU that is in use, nothing is done."""
    if _WATCH.is_attached or not torch.cuda.is_initialized():
        return
    _WATCH.is_attached = True
    # Another allocator takes no observer, and a device that failed answers nothing.
    with contextlib.suppress(RuntimeError, AttributeError):
        torch._C._cuda_attach_out_of_memory_observer(_observe)


def latest_failure(device: int) -> FailedAllocation | None:
    """The failure of the device, once: the next error is another one."""
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
