"""What torch's allocator and compiler and Python's garbage collector count, over a window."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping

import torch

from tbprof.hook.safety.cuda_device import device_in_use
from tbprof.hook.safety.missing_facts import MissingFacts

_ALLOCATOR = ("num_alloc_retries", "num_ooms", "num_device_alloc", "num_device_free")


def counted(missing: MissingFacts) -> dict[str, int]:
    """What costs some us to ask for, as it is now: `gc.full`, and `dynamo.*` where it is loaded."""
    return {
        **missing.ask("gc_counts", _collections, {}),
        **missing.ask("compiler_counts", _compiled, {}),
    }


def allocated(missing: MissingFacts) -> dict[str, int]:
    """`allocator.*` on CUDA, as it is now; torch collects all of its statistics for it, so not in a step."""
    return missing.ask("allocator_counts", _allocations, {})


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """How much each count has grown; one that has just come up began at 0."""
    return {name: count - before.get(name, 0) for name, count in after.items()}


def _collections() -> dict[str, int]:
    return {"gc.full": gc.get_stats()[2]["collections"]}


def _compiled() -> dict[str, int]:
    # Only what is loaded is asked: importing the compiler takes seconds.
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is None:
        return {}
    return {
        "dynamo.graphs": dynamo.counters["stats"]["unique_graphs"],
        "dynamo.frames": dynamo.counters["frames"]["total"],
        "dynamo.graph_breaks": sum(dynamo.counters["graph_break"].values()),
    }


def _allocations() -> dict[str, int]:
    device = device_in_use()
    if device is None:
        return {}
    # Not `memory_stats`, which sorts a hundred figures more in Python.
    statistics = torch.cuda.memory_stats_as_nested_dict(device)
    # Older versions of torch lack some of them.
    return {f"allocator.{name}": statistics[name] for name in _ALLOCATOR if name in statistics}
