"""Rows by the text of their names: each distinct name is looked at once."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.columns import Category, Int64s, Trace

__all__ = ["matching_names", "matching_rows"]


def matching_names(trace: Trace, pattern: str) -> npt.NDArray[np.bool_]:
    """For each interned name, whether `pattern` matches at its beginning."""
    match = re.compile(pattern).match
    found = (match(name) is not None for name in trace.names)
    return np.fromiter(found, np.bool_, len(trace.names))


def matching_rows(trace: Trace, pattern: str, *categories: Category) -> Int64s:
    """Rows of these categories whose name matches at its beginning, ascending."""
    slices = trace.slices
    rows = np.flatnonzero(np.isin(slices.category, categories))
    if len(rows) == 0:
        return rows
    return rows[matching_names(trace, pattern)[slices.name[rows]]]
