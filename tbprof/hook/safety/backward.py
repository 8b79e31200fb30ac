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


def in_backward() -> bool:
    """Whether a backward pass runs on this thread."""
    return bool(torch._C._current_graph_task_id() != -1)


class BackwardEnds:
    """Calls `notice` after each backward pass that begins from `watch` on, on the thread that began it."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self.notice = notice

    def watch(self) -> None:
        """From now on; what runs at present is not watched."""
        if not any(other is self for other in _watching):
            _watching.append(self)
            if len(_watching) == 1:
                _put_ours()

    def stop(self) -> None:
        """Watch no more; the last one puts torch's function back."""
        _watching[:] = [other for other in _watching if other is not self]
        if not _watching:
            _put_torchs_back()


_watching: list[BackwardEnds] = []
_replaced: list[tuple[Any, Callable[..., Any], Callable[..., Any]]] = []
"""Module, torch's function and ours."""


def _put_ours() -> None:
    run_backward = torch.autograd.graph._engine_run_backward

    @functools.wraps(run_backward)
    def ours(*args: Any, **kwargs: Any) -> Any:
        try:
            return run_backward(*args, **kwargs)
        finally:
            if not in_backward():
                for watching in tuple(_watching):
                    watching.notice()

    # Where the program's code is compiled, this is not to be.
    frame_switch(ours)
    for module in (torch.autograd, torch.autograd.graph):
        if module._engine_run_backward is run_backward:
            module._engine_run_backward = ours
            _replaced.append((module, run_backward, ours))


def _put_torchs_back() -> None:
    """Where another tool has put its own over ours, that stays, and ours calls nobody."""
    while _replaced:
        module, run_backward, ours = _replaced.pop()
        if module._engine_run_backward is ours:
            module._engine_run_backward = run_backward
