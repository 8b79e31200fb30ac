"""Rows by the text of their names: each distinct name is looked at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s, is_among
from tbprof.trace.columns.columns import Category, Slices, Trace


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
    passing = _Occurring.of(trace).matching(trace, pattern, categories)
    if not len(passing):
        return np.empty(0, np.int64)
    slices = trace.slices
    is_wanted = is_among(slices.name, passing)
    is_wanted &= is_among(slices.category, categories)
    return np.flatnonzero(is_wanted)


@dataclass(frozen=True, slots=True, eq=False)
class _Occurring:
    """The names that the rows of a trace have. Most patterns match the name of none."""

    names: npt.NDArray[np.bool_]
    """Whether there are such rows, by category and name."""
    of_categories: dict[tuple[Category, ...], list[int]]
    """The names of several categories together, as far as they were asked for."""
    known: dict[tuple[str, tuple[Category, ...]], Int64s]
    """What was asked for before, as many rules ask the same."""

    @classmethod
    def of(cls, trace: Trace) -> _Occurring:
        slices = trace.slices
        if slices not in _OCCURRING:
            names = np.zeros((len(Category), len(trace.names)), np.bool_)
            names[slices.category, slices.name] = True
            _OCCURRING[slices] = cls(names, {}, {})
        return _OCCURRING[slices]

    def matching(self, trace: Trace, pattern: str, categories: tuple[Category, ...]) -> Int64s:
        """Names of rows of these categories at whose beginning `pattern` matches."""
        key = pattern, categories
        if key not in self.known:
            if categories not in self.of_categories:
                of_any = self.names[list(categories)].any(axis=0)
                self.of_categories[categories] = np.flatnonzero(of_any).tolist()
            names = self.of_categories[categories]
            # To compile a pattern takes longer than most searches of a small trace.
            matches = re.compile(pattern).match if names else None
            passing = [name for name in names if matches and matches(trace.names[name])]
            self.known[key] = np.array(passing, np.int64)
        return self.known[key]


_OCCURRING: WeakKeyDictionary[Slices, _Occurring] = WeakKeyDictionary()
