"""Torch's own callbacks at each wait for the device, those that are asked for by name among them.

`set_sync_debug_mode` says nothing of `torch.cuda.synchronize()`. The callbacks that torch has
for its sanitizer do, but they can't be turned off again: from then on torch holds the GIL for
a moment at each allocation, event and wait of the process. So they are only taken where the
user gives a run for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch.cuda import _gpu_trace


class Notice(Protocol):
    """Is told of a wait on the thread that waits."""

    def __call__(self, call: str) -> None: ...


class SyncCallbacks:
    """Calls `notice` with the name of torch's function for the kind of wait."""

    def __init__(self, notice: Notice) -> None:
        self._notice = notice
        self._registered: list[tuple[Any, Callable[..., None]]] = []

    @property
    def is_heard(self) -> bool:
        """Whether waits are noticed now."""
        return bool(self._registered)

    def start(self) -> None:
        """Listen from now on; on a machine without CUDA nothing calls."""
        self._register(_gpu_trace.DeviceSynchronizationCallbacks, "cuda.synchronize")
        self._register(_gpu_trace.StreamSynchronizationCallbacks, "Stream.synchronize")
        self._register(_gpu_trace.EventSynchronizationCallbacks, "Event.synchronize")
        torch._C._activate_gpu_trace()

    def stop(self) -> None:
        """Listen no more; torch goes on calling whoever else listens."""
        for registry, ours in self._registered:
            if ours in registry.callback_list:
                registry.callback_list.remove(ours)
        self._registered.clear()

    def _register(self, registry: Any, call: str) -> None:
        def ours(*_: int) -> None:
            self._notice(call)

        registry.add_callback(ours)
        self._registered.append((registry, ours))
