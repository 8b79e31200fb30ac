"""What the hook does when the program leaves because memory ran out."""

from __future__ import annotations

import logging
import sys

from tbprof.hook.config.hook_config import HookConfig
from tbprof.hook.facts.facts import rank_and_world_size, worker_name
from tbprof.hook.memory.failed_allocations import latest_failure
from tbprof.hook.memory.out_of_memory import gpu_of, look_at, memory_error, write_beside_windows

logger = logging.getLogger("tbprof")


def uncaught_error() -> BaseException | None:
    """At the end of the process, what it ends on; None where it ends well, and where a person types."""
    return None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)


def explain_out_of_memory(error: BaseException, config: HookConfig, steps_taken: int) -> None:
    """Write a file where this error, or what it was raised for, is about memory; else do nothing."""
    failed = memory_error(error)
    # What is sent to another host are windows.
    if failed is None or config.address is not None:
        return
    worker = worker_name(config.worker, rank_and_world_size()[0])
    device = gpu_of(failed)
    seen = None if device.type == "cpu" else latest_failure(device.index)
    found = look_at(failed, worker, steps_taken, seen, left_on=error)
    path = write_beside_windows(found, config.logdir, None if seen is None else seen.snapshot)
    logger.warning("Memory ran out after %d steps. What held it: tbprof report %s", steps_taken, path)
