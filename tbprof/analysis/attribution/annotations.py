"""The user's own `record_function` range, and the `nn.Module`, around a call."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import matching_names
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.events.calls import Calls
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Category, Int64s, Trace
from tbprof.trace.columns.eras import STEP_PREFIX

__all__ = ["LOADER", "find_labels", "find_modules", "module_frames", "module_name", "user_labels"]

LOADER = r"enumerate\(DataLoader\)"
"""Beginning of the ranges that torch opens around each `next` of a data loader."""


_MADE_BY_TORCH = (
    rf"{STEP_PREFIX}|Optimizer\.|enumerate\(DataLoader\)|nccl:|gloo:|DistributedDataParallel\."
    r"|FSDP::|FullyShardedDataParallel\.|Torch-Compiled Region|## Call |dynamo_|autograd::"
    r"|\[pytorch\|profiler|PyTorch Profiler|torch\.distributed|param\|"
)
"""Beginnings of the ranges that torch opens itself, as seen in traces of 2021 to 2026."""

_MODULE = r"nn\.Module: "


def find_labels(trace: Trace, calls: Calls, chosen: Int64s) -> Int64s:
    """For each chosen call the interned name of the innermost user range, or `NONE`."""
    return _innermost_name(trace, calls, chosen, Category.USER_ANNOTATION, user_labels(trace))


def find_modules(trace: Trace, calls: Calls, chosen: Int64s) -> Int64s:
    """For each chosen call the interned name of the innermost `nn.Module: ...` frame, or `NONE`."""
    return _innermost_name(trace, calls, chosen, Category.PYTHON, module_frames(trace))


def user_labels(trace: Trace) -> npt.NDArray[np.bool_]:
    """For each interned name, whether a range of that name would be the user's own."""
    users: npt.NDArray[np.bool_] = ~matching_names(trace, _MADE_BY_TORCH)
    return users


def module_frames(trace: Trace) -> npt.NDArray[np.bool_]:
    """For each interned name, whether it is a module's call."""
    return matching_names(trace, _MODULE)


def module_name(frame: str) -> str:
    """`nn.Module: Linear_3` without its prefix."""
    return re.sub(_MODULE, "", frame, count=1)


def _innermost_name(
    trace: Trace,
    calls: Calls,
    chosen: Int64s,
    category: Category,
    wanted: npt.NDArray[np.bool_],
) -> Int64s:
    slices = trace.slices
    rows = np.flatnonzero(slices.category == category)
    nest = Nest.of(slices, rows[wanted[slices.name[rows]]])
    at = nest.innermost(calls.lane[chosen], calls.start_ns[chosen], calls.end_ns[chosen])
    names = np.full(len(chosen), NONE, np.int64)
    inside = at != NONE
    names[inside] = slices.name[nest.rows[at[inside]]]
    return names
