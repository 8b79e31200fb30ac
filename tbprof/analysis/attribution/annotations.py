"""The user's own `record_function` range, and the `nn.Module`, around a call."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.calls import Calls
from tbprof.analysis.names import match, matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import STEP_PREFIX

LOADER = r"enumerate\(DataLoader\)"
"""Beginning of the ranges that torch opens around each `next` of a data loader."""


_MADE_BY_TORCH = (
    rf"{STEP_PREFIX}|Optimizer\.|enumerate\(DataLoader\)|nccl:|gloo:|DistributedDataParallel\."
    r"|FSDP::|FullyShardedDataParallel\.|Torch-Compiled Region|## Call |dynamo_|autograd::"
    r"|\[pytorch\|profiler|PyTorch Profiler|torch\.distributed|param\||nn\.Module: "
)
"""Beginnings of the ranges that torch or the hook opens, as seen in traces of 2021 to 2026."""

_MODULE = r"nn\.Module: "


def find_labels(trace: Trace, calls: Calls, chosen: Int64s) -> Int64s:
    """For each chosen call the interned name of the innermost user range, or `NONE`."""
    return _innermost_name(trace, calls, chosen, label_rows(trace))


def find_modules(trace: Trace, calls: Calls, chosen: Int64s) -> Int64s:
    """For each chosen call the interned name of the innermost `nn.Module: ...` range, or `NONE`."""
    return _innermost_name(trace, calls, chosen, module_rows(trace))


def label_rows(trace: Trace) -> Int64s:
    """Rows that are a range of the user's own, ascending."""
    rows = np.flatnonzero(trace.slices.category == Category.USER_ANNOTATION)
    own: Int64s = rows[~match(trace, rows, _MADE_BY_TORCH)]
    return own


def module_rows(trace: Trace) -> Int64s:
    """Rows that are a call of a module, ascending: Python frames, else the hook's marks."""
    frames = matching_rows(trace, _MODULE, Category.PYTHON)
    return frames if len(frames) else matching_rows(trace, _MODULE, Category.USER_ANNOTATION)


def module_name(frame: str) -> str:
    """`nn.Module: Linear_3` without its prefix."""
    return re.sub(_MODULE, "", frame, count=1)


def _innermost_name(trace: Trace, calls: Calls, chosen: Int64s, rows: Int64s) -> Int64s:
    nest = Nest.of(trace.slices, rows)
    at = nest.innermost(calls.lane[chosen], calls.start_ns[chosen], calls.end_ns[chosen])
    names = np.full(len(chosen), NONE, np.int64)
    inside = at != NONE
    names[inside] = trace.slices.name[nest.rows[at[inside]]]
    return names
