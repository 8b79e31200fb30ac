"""Which call of the host launched which rows of the devices, by correlation."""

from __future__ import annotations

import numpy as np

from tbprof.trace.columns.arrays import NONE, Int64s, is_among, lookup
from tbprof.trace.columns.columns import Category, Slices
from tbprof.trace.columns.eras import GPU_WORK


def device_rows(slices: Slices) -> Int64s:
    """The kernels, copies and memsets, as row numbers."""
    return np.flatnonzero(is_among(slices.category, GPU_WORK)).astype(np.int64)


def launches(slices: Slices) -> Int64s:
    """For each row of a device the call that launched it, a row number; `NONE` for all others."""
    calls = np.flatnonzero((slices.category == Category.RUNTIME) & (slices.correlation >= 0))
    rows = device_rows(slices)
    launch = np.full(len(slices), NONE, np.int64)
    launch[rows] = lookup(slices.correlation[calls], calls, slices.correlation[rows])
    return launch
