"""Kernels of float16 that the CPU computes many times slower than those of float32.

On tensors of the device they are computed in float32 and rounded, as a GPU does, which adds up
in float32 too: the types that the program sees stay float16, the last bits may be others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from tbprof.preflight.device_marks import is_on_device
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching.recording import remark

_ALL = 1 << 10
_REMARK = "float16 kernels that are slow on a CPU were computed in float32 and rounded to float16"

_ALL_ROUNDED = (
    *("mm", "addmm", "bmm", "baddbmm", "addbmm", "mv", "addmv", "dot", "vdot", "linear"),
    *("convolution", "convolution_overrideable", "convolution_backward"),
    *("pow", "amax", "amin", "linalg_vector_norm", "norm", "var", "std", "_foreach_norm"),
    *("mkldnn_rnn_layer", "mkldnn_rnn_layer_backward"),
    *("native_group_norm_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"),
)
_FIRST_ROUNDED = (
    *("native_group_norm", "_scaled_dot_product_flash_attention_for_cpu", "var_mean", "std_mean"),
)
"""Ops whose statistics beside the first result are kept as they are, for the derivative."""

SLOW_IN_HALF: dict[str, int] = {
    **{f"aten::{name}": _ALL for name in _ALL_ROUNDED},
    **{f"aten::{name}": 1 for name in _FIRST_ROUNDED},
}
"""How many of the results of such an op are rounded to float16, from the first on.

Chosen by time on an AVX-512 CPU without kernels for float16, torch 2.13: 5 to 50 times that of float32.
"""


def has_half(args: tuple[Any, ...]) -> bool:
    """Whether a tensor of float16 is among an op's arguments."""
    return any(_is_half(argument) for argument in args)


def in_float32(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], rounded: int
) -> Any:
    """What an op of tensors of float16 gives, computed in float32 and with so many results rounded."""
    remark(_REMARK)
    result = func(*(_widened(argument) for argument in args), **kwargs)
    if isinstance(result, (tuple, list)):
        return type(result)(_rounded(item) if at < rounded else item for at, item in enumerate(result))
    return _rounded(result)


def _is_half(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dtype is torch.float16
    return type(value) in (list, tuple) and any(_is_half(item) for item in value)


def _widened(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.float() if value.dtype is torch.float16 else value
    return [_widened(item) for item in value] if type(value) is list and _is_half(value) else value


def _recurrent(original: Any) -> Any:
    """A recurrent network as a whole: op by op each step would widen its weights again."""

    @wraps(original)
    def recurrent(*args: Any, **kwargs: Any) -> Any:
        if not (_is_half(args[0]) and is_on_device(args[0])):
            return original(*args, **kwargs)
        remark(_REMARK)
        return tree_map(_rounded, original(*tree_map(_widened, args), **kwargs))

    return recurrent


def _rounded(value: Any) -> Any:
    return value.half() if isinstance(value, Tensor) and value.dtype is torch.float32 else value


PATCHES = tuple(Patch("torch._VF", name, _recurrent) for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"))
