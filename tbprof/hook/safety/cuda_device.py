"""The CUDA device that the program works on, asked for without making a context on any other."""

from __future__ import annotations

import re
import sys

import torch


def device_in_use() -> int | None:
    """The current device, or another one that has a context where the current one has none.

    None where this process does not use CUDA. A program that names `cuda:3` everywhere has
    device 0 as its current one and nothing on it: an event there would make a context of some
    hundred MB on it, for each process of the machine.
    """
    if not torch.cuda.is_initialized():
        return None
    current = int(torch.cuda.current_device())
    devices = (current, *range(torch.cuda.device_count()))
    return next((device for device in devices if torch._C._cuda_hasPrimaryContext(device)), None)


def device_uuid() -> str | None:
    """The name by which the driver knows that device, whatever numbers a process gives its own."""
    device = device_in_use()
    return None if device is None else f"GPU-{torch.cuda.get_device_properties(device).uuid}"


def has_device_failed() -> bool:
    """Whether CUDA has failed for good, as after an assertion in a kernel: then each call of it fails.

    It asks a stream how far it is, which waits for nothing. While that stream is captured the
    question is not allowed.
    """
    try:
        device = device_in_use()
        if device is None:
            return False
        with torch.cuda.device(device):
            if not torch.cuda.is_current_stream_capturing():
                torch.cuda.current_stream().query()
    except RuntimeError:
        return True
    return False


OLDEST_TORCH = (2, 6)

PREPARED_SESSIONS_END = (2, 12)
"""The version from which a profiler may start while another one warms up.

Before, `start()` raises "Can't disable Kineto profiler when it's not running", and so does every later one
of the process: Kineto cancels the prepared session, which torch refuses as none was enabled, and so Kineto
never forgets it. Found with torch 2.6; the check is new in torch 2.12.
"""

WITH_MODULES_WARNS = (2, 14)
"""The version from which torch warns of `with_modules`, and names `with_stack` in its place."""


def is_torch_since(release: tuple[int, int]) -> bool:
    """Whether the torch that is there is of this release or later; true of a version that can't be read."""
    found = re.match(r"(\d+)\.(\d+)", torch.__version__)
    return found is None or (int(found[1]), int(found[2])) >= release


def crashes_with_stack() -> bool:
    """Whether recording call stacks ends the process: torch before 2.8 on Python 3.13 and later.

    pytorch/pytorch#148273: the profiler took what `PyFrame_GetLocals` returns there for a dict.
    """
    return sys.version_info >= (3, 13) and not is_torch_since((2, 8))


def old_torch_problem() -> str | None:
    """A sentence where the torch that is there is older than what tbprof is tested with."""
    if is_torch_since(OLDEST_TORCH):
        return None
    return f"torch is {torch.__version__}; tbprof is tested with 2.6 and later: upgrade it."
