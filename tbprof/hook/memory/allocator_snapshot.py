"""A snapshot of torch's allocator on CUDA, and its history in one step: bounded, and no fault of the step.

`torch.cuda.memory` documents `_record_memory_history`, `_snapshot` and what they cost: 2 us an allocation
with Python's frames, and a copy of all blocks. Where the program records a history of its own, it is left
alone.
"""

from __future__ import annotations

import logging
import pickle
from typing import Any

import torch

logger = logging.getLogger("tbprof")

MOST_EVENTS = 20_000
"""Of a step; the older ones go."""
MOST_BLOCKS = 20_000
"""Some 20 us each: more would hold the training, or an exception, up for half a second."""
MOST_BYTES = 32 * 1024 * 1024
"""The tab reads no larger one."""

_REFUSALS = (RuntimeError, TypeError, AttributeError, KeyError)
"""Of another allocator, a device that failed, another version of torch: none of these names is promised."""


class AllocatorHistory:
    """Recorded from `begin` to `end`, unless there is no GPU or somebody else records it."""

    def __init__(self) -> None:
        self._is_ours = False

    def begin(self) -> None:
        """Record from here on."""
        try:
            if torch.cuda.is_initialized() and not torch._C._cuda_isHistoryEnabled():
                torch.cuda.memory._record_memory_history(
                    "all", context="alloc", stacks="python", max_entries=MOST_EVENTS
                )
                self._is_ours = True
        except _REFUSALS as error:
            logger.info("The allocator's history is not recorded: %s", error)

    def end(self, device: int) -> bytes | None:
        """Record no more; what there is, as `torch.cuda.memory._dump_snapshot` writes it."""
        found = snapshot_of(device) if self._is_ours else None
        self.abandon()
        return found

    def abandon(self) -> None:
        """Record no more, and keep nothing."""
        is_ours, self._is_ours = self._is_ours, False
        if is_ours:
            try:
                torch.cuda.memory._record_memory_history(None)
            except _REFUSALS as error:
                logger.info("The allocator's history goes on being recorded: %s", error)


def snapshot_of(device: int) -> bytes | None:
    """Of all devices; None where there is none, or where it would take long, as this device tells."""
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
