"""What torch's allocator and compiler and Python's garbage collector count, over a window."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping

import torch

__all__ = ["counted", "growth"]

_ALLOCATOR = ("num_alloc_retries", "num_ooms", "num_device_alloc", "num_device_free")


def counted() -> dict[str, int]:
    """All counts as they are now: `allocator.*` on CUDA, `dynamo.*` where it is loaded, and `gc.full`."""
    counts = {"gc.full": gc.get_stats()[2]["collections"]}
    if torch.cuda.is_initialized():
        statistics = torch.cuda.memory_stats()
        # Older versions of torch lack some of them.
        counts |= {f"allocator.{name}": statistics[name] for name in _ALLOCATOR if name in statistics}
    # Only what is loaded is asked: importing the compiler takes seconds.
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is not None:
        counts["dynamo.graphs"] = dynamo.counters["stats"]["unique_graphs"]
        counts["dynamo.frames"] = dynamo.counters["frames"]["total"]
        counts["dynamo.graph_breaks"] = sum(dynamo.counters["graph_break"].values())
    return counts


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """How much each count has grown; one that has just come up began at 0."""
    return {name: count - before.get(name, 0) for name, count in after.items()}
