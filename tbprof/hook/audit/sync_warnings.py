"""CUDA's own word for it: torch warns of each call that waits for the device, as it happens.

`torch.cuda.set_sync_debug_mode("warn")` knows what no table does, such as the checks inside
linear algebra; it leaves out synchronize calls that are asked for by name.

Torch's own callbacks at each wait for the device, those that are asked for by name among them.

`set_sync_debug_mode` says nothing of `torch.cuda.synchronize()`. The callbacks that torch has
for its sanitizer do, but they can't be turned off again: from then on torch holds the GIL for
a moment at each allocation, event and wait of the process. So they are only taken where the
user gives a run for it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, Literal, Protocol, TextIO, TypeAlias, cast

import torch
from torch.cuda import _gpu_trace

_MESSAGE = "called a synchronizing (CUDA|HIP) operation"

_PROTOTYPE = "Synchronization debug mode is a prototype feature"
"""Torch says this once in a process, when the mode is first set; `-W error` would raise it here."""

_Action: TypeAlias = Literal["always", "ignore"]


class SyncWarnings:
    """Calls `notice` on the thread that waited, and shows every other warning as before."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._shown_before: Callable[..., Any] | None = None
        self._filters: list[Any] = []

    @property
    def is_heard(self) -> bool:
        """Whether waits are noticed now."""
        return self._shown_before is not None

    def start(self) -> None:
        """Listen, on CUDA in use; where the user has set a mode, that one stays and nothing is heard."""
        if not torch.cuda.is_initialized() or torch.cuda.get_sync_debug_mode() != 0 or _gloo_copies():
            return
        self.listen()
        torch.cuda.set_sync_debug_mode("warn")

    def listen(self) -> None:
        """Hear warnings from now on."""
        # Else a line would be heard once only, and `-W error` would raise in the training.
        self._filter("always", _MESSAGE)
        self._filter("ignore", _PROTOTYPE)
        self._shown_before = warnings.showwarning
        warnings.showwarning = self._show

    def stop(self) -> None:
        """Put everything back; harmless where nothing was heard."""
        if self._shown_before is None:
            return
        try:
            if torch.cuda.is_initialized():
                torch.cuda.set_sync_debug_mode("default")
        finally:
            self._restore()

    def _restore(self) -> None:
        filters = cast("list[Any]", warnings.filters)
        # A program that saved and restored the filters meanwhile has taken ours away.
        for ours in self._filters:
            if ours in filters:
                filters.remove(ours)
        self._filters.clear()
        if warnings.showwarning == self._show:
            warnings.showwarning = self._shown_before  # type: ignore[assignment]
        self._shown_before = None

    def _filter(self, action: _Action, message: str) -> None:
        # Not by `warnings.filterwarnings`: it has Python forget which warnings it has shown once.
        ours = (action, re.compile(message, re.IGNORECASE), Warning, None, 0)
        cast("list[Any]", warnings.filters).insert(0, ours)
        self._filters.append(ours)

    def _show(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if re.match(_MESSAGE, str(message)):
            self._notice()
        elif self._shown_before is not None:
            self._shown_before(message, category, filename, lineno, file, line)


def _gloo_copies() -> bool:
    """Whether Gloo moves this process's tensors, on a thread of its own: what torch warns of there goes to
    the program's standard error, and can't be heard.
    """
    group = torch.distributed
    return bool(group.is_available() and group.is_initialized() and group.get_backend() == "gloo")


class Notice(Protocol):
    """Hears of a wait on the thread that waits."""

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
