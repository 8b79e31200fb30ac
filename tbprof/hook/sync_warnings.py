"""CUDA's own word for it: torch warns of each call that waits for the device, as it happens.

`torch.cuda.set_sync_debug_mode("warn")` knows what no table does, such as the checks inside
linear algebra; it leaves out synchronise calls that are asked for by name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TextIO, cast

import torch

__all__ = ["SyncWarnings"]

_MESSAGE = "called a synchronizing CUDA operation"


class SyncWarnings:
    """Calls `notice` on the thread that waited, and shows every other warning as before."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._shown_before: Callable[..., Any] | None = None
        self._mode_before = 0

    def start(self) -> None:
        """Listen, on CUDA in use; where the user has set a mode, that one stays and nothing is heard."""
        if not torch.cuda.is_initialized() or torch.cuda.get_sync_debug_mode() != 0:
            return
        self.listen()
        torch.cuda.set_sync_debug_mode("warn")

    def listen(self) -> None:
        """Hear warnings from now on."""
        # Else a line would be heard once only, and `-W error` would raise in the training.
        warnings.filterwarnings("always", message=_MESSAGE)
        self._filter = self._filters()[0]
        self._shown_before = warnings.showwarning
        warnings.showwarning = self._show

    def stop(self) -> None:
        """Put everything back; harmless where nothing was heard."""
        if self._shown_before is None:
            return
        if torch.cuda.is_initialized():
            torch.cuda.set_sync_debug_mode("default")
        # A program that saved and restored the filters meanwhile has taken ours away.
        if self._filter in self._filters():
            self._filters().remove(self._filter)
        if warnings.showwarning == self._show:
            warnings.showwarning = self._shown_before
        self._shown_before = None

    @staticmethod
    def _filters() -> list[Any]:
        return cast("list[Any]", warnings.filters)

    def _show(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if str(message).startswith(_MESSAGE):
            self._notice()
        elif self._shown_before is not None:
            self._shown_before(message, category, filename, lineno, file, line)
