"""The CUDA device that the program works on, asked for without making a context on any other."""

from __future__ import annotations

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
