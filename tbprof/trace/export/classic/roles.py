"""What each row is to torch-tb-profiler, by its category and name."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category, Slices, Trace
from tbprof.trace.columns.eras import STEP_PREFIX
from tbprof.trace.export.classic.collectives import COUNTED, is_collective
from tbprof.trace.export.classic.nesting import Role, Roles

Bools = npt.NDArray[np.bool_]

_STEP = re.compile(rf"{STEP_PREFIX}\d+\Z")
_UNLISTED = re.compile(
    rf"{STEP_PREFIX}|Optimizer\.|(?:DataParallel|DistributedDataParallel)\.forward\Z"
    r"|enumerate\(DataLoader\)#.*\.__next__\Z|enumerate\(DataPipe\)#"
)
"""Ranges that the plugin keeps out of its table of operators."""


def is_step(name: str) -> bool:
    """Whether a range of this name is a step."""
    return _STEP.match(name) is not None


def is_module(name: str) -> bool:
    """Whether a Python frame of this name is the call of a module."""
    return name.startswith("nn.Module: ")


@dataclass(frozen=True, slots=True, eq=False)
class RowRoles:
    """One entry for each row, and the numbers of some."""

    role: Roles
    omitted: Bools
    """The library's own ranges around collectives: each kernel gets an operator instead."""
    operators: Int64s
    """Operators and ranges, whether listed or not."""
    calls: Int64s
    collectives: Int64s
    """Kernels."""
    _is_operator: Bools
    _is_listed: Bools

    def takes_calls(self, rows: Int64s) -> Bools:
        """Whether the plugin hangs calls on each of the rows; not on modules, not on `NONE`."""
        found: Bools = (rows != NONE) & self._is_operator[rows]
        return found

    def is_listed_op(self, row: int) -> bool:
        """Whether a row is in the table of operators."""
        return row != NONE and bool(self._is_listed[row])


def roles_of(trace: Trace) -> RowRoles:
    """The role of every row."""
    slices, category = trace.slices, trace.slices.category
    collectives = np.flatnonzero((category == Category.KERNEL) & _named(trace, is_collective))
    is_range = category == Category.USER_ANNOTATION
    omitted = is_range & _named(trace, COUNTED.__contains__) & bool(len(collectives))
    is_operator = (is_range | (category == Category.CPU_OP)) & ~omitted
    role = _roles(slices, is_operator, _named(trace, is_step), _named(trace, is_module))
    return RowRoles(
        role=role,
        omitted=omitted,
        operators=np.flatnonzero(is_operator).astype(np.int64),
        calls=np.flatnonzero(category == Category.RUNTIME).astype(np.int64),
        collectives=collectives.astype(np.int64),
        _is_operator=is_operator,
        _is_listed=is_operator & ~_named(trace, lambda name: _UNLISTED.match(name) is not None),
    )


def _roles(slices: Slices, is_operator: Bools, steps: Bools, modules: Bools) -> Roles:
    role = np.full(len(slices), Role.NO_PART, np.int8)
    is_python = slices.category == Category.PYTHON
    role[is_python] = Role.FRAME
    role[is_operator | (is_python & modules)] = Role.NODE
    role[is_operator & steps] = Role.STEP
    role[slices.category == Category.RUNTIME] = Role.CALL
    return role


def _named(trace: Trace, wanted: Callable[[str], bool]) -> Bools:
    """Whether each row has a name that is wanted; every name is looked at once."""
    table = np.fromiter(map(wanted, trace.names), np.bool_, len(trace.names))
    return table[trace.slices.name]
