"""Where a mode of ours goes among the function modes of a thread, and how it leaves.

Torch's modes leave by popping whatever is on top. One of the user's that is entered before
ours and left after it would take ours away and stay itself, so ours goes to the bottom; only
the context of `torch.set_default_device` must be below it, since torch asserts that.
"""

from __future__ import annotations

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, _pop_mode, _push_mode

__all__ = ["enter_at_bottom", "leave"]


def enter_at_bottom(mode: TorchFunctionMode) -> None:
    """Make `mode` active on this thread, below every other one."""
    modes = list(_get_current_function_mode_stack())
    default_device = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    below = [other for other in modes if other is default_device]
    _replace(modes, [*below, mode, *(other for other in modes if other is not default_device)])


def leave(mode: TorchFunctionMode) -> None:
    """Take `mode` away, wherever it stands; the order of the others stays."""
    modes = list(_get_current_function_mode_stack())
    if mode in modes:
        _replace(modes, [other for other in modes if other is not mode])


def _replace(modes: list[TorchFunctionMode], others: list[TorchFunctionMode]) -> None:
    for _ in modes:
        _pop_mode()
    for mode in others:
        _push_mode(mode)
