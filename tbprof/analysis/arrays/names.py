"""Rows by the text of their names: each distinct name is looked at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.columns import Category, Int64s, Slices, Trace

__all__ = ["are_named", "match", "matching_names", "matching_rows"]


def matching_names(trace: Trace, pattern: str) -> npt.NDArray[np.bool_]:
    """For each interned name, whether `pattern` matches at its beginning."""
    matches = re.compile(pattern).match
    return np.array([matches(name) is not None for name in trace.names], np.bool_)


def are_named(trace: Trace, rows: Int64s, passes: Callable[[str], object]) -> npt.NDArray[np.bool_]:
    """For each of these rows, whether its name passes; names that none of them has are not looked at."""
    name = trace.slices.name[rows]
    found = np.zeros(len(trace.names), np.bool_)
    found[name] = True
    occurring = np.flatnonzero(found)
    found[occurring] = [bool(passes(trace.names[one])) for one in occurring.tolist()]
    return found[name]


def match(trace: Trace, rows: Int64s, pattern: str) -> npt.NDArray[np.bool_]:
    """For each of these rows, whether its name matches at its beginning."""
    if len(rows) == 0:
        return np.zeros(0, np.bool_)
    return are_named(trace, rows, re.compile(pattern).match)


def matching_rows(trace: Trace, pattern: str, *categories: Category) -> Int64s:
    """Rows of these categories whose name matches at its beginning, ascending."""
    occurring = np.flatnonzero(_occurring(trace)[list(categories)].any(axis=0)).tolist()
    # To compile a pattern takes longer than most searches of a small trace.
    matches = re.compile(pattern).match if occurring else None
    passing = [name for name in occurring if matches and matches(trace.names[name])]
    if not passing:
        return np.empty(0, np.int64)
    is_one = np.zeros(len(trace.slices), np.bool_)
    for category in categories:
        # Twice as fast as `np.isin`, even for two of them.
        is_one |= trace.slices.category == category
    rows = np.flatnonzero(is_one)
    is_wanted = np.zeros(len(trace.names), np.bool_)
    is_wanted[passing] = True
    return rows[is_wanted[trace.slices.name[rows]]]


_OCCURRING: WeakKeyDictionary[Slices, npt.NDArray[np.bool_]] = WeakKeyDictionary()


def _occurring(trace: Trace) -> npt.NDArray[np.bool_]:
    """By category and name, whether there are such rows. Most patterns match the name of none."""
    slices = trace.slices
    if slices not in _OCCURRING:
        found = np.zeros((len(Category), len(trace.names)), np.bool_)
        found[slices.category, slices.name] = True
        _OCCURRING[slices] = found
    return _OCCURRING[slices]
