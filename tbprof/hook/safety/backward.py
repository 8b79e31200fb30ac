"""Backward passes of the program, in which the hook begins and ends nothing.

A hook of a tensor or of a parameter may step an optimizer, and so the hook. But at the end of a pass torch
puts back the state that its thread had before: a profiler or a mode that began within would be lost, and the
process end in a segmentation fault.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from tbprof.hook.safety.compiled_code import frame_switch

__all__ = ["BackwardEnds", "in_backward"]


def in_backward() -> bool:
    """Whether a backward pass runs on this thread."""
    return bool(torch._C._current_graph_task_id() != -1)


class BackwardEnds:
    """Calls `notice` after each backward pass that begins from `watch` on, on the thread that began it."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._replaced: list[tuple[Any, Callable[..., Any]]] = []
        self._ours: Callable[..., Any] | None = None

    def watch(self) -> None:
        """From now on; what runs at present is not watched."""
        if self._ours is not None:
            return
        run_backward = torch.autograd.graph._engine_run_backward

        @functools.wraps(run_backward)
        def ours(*args: Any, **kwargs: Any) -> Any:
            try:
                return run_backward(*args, **kwargs)
            finally:
                if self._ours is not None and not in_backward():
                    self._notice()

        # Where the program's code is compiled, this is not to be.
        frame_switch(ours)
        self._ours = ours
        for module in (torch.autograd, torch.autograd.graph):
            if module._engine_run_backward is run_backward:
                module._engine_run_backward = ours
                self._replaced.append((module, run_backward))

    def stop(self) -> None:
        """Watch no more; where another tool has put its own over ours, that stays, and ours does nothing."""
        ours, self._ours = self._ours, None
        for module, run_backward in self._replaced:
            if module._engine_run_backward is ours:
                module._engine_run_backward = run_backward
        self._replaced.clear()
