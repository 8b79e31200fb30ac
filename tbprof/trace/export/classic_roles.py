"""What each row is to torch-tb-profiler, by its category and name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Slices, Trace
from tbprof.trace.columns.eras import STEP_PREFIX
from tbprof.trace.export.classic_collectives import COUNTED, is_collective
from tbprof.trace.export.classic_nesting import Role, Roles

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


_ON_HOST = (Category.CPU_OP, Category.USER_ANNOTATION, Category.RUNTIME, Category.PYTHON)


class Threads:
    """The numbers of a trace's threads on the host."""

    def __init__(self, trace: Trace) -> None:
        self._lanes = trace.lanes
        on_host = is_among(trace.slices.category, _ON_HOST)
        self._numbers: dict[tuple[str, str], int] = {}
        taken: set[int] = set()
        for lane in distinct(trace.slices.lane[on_host]).tolist():
            place = trace.lanes[lane].process, trace.lanes[lane].thread
            number = _integer(place[1])
            if number is None or number in taken:
                number = max(taken, default=0) + 1
            taken.add(number)
            self._numbers[place] = number
        self._free = max(taken, default=0) + 1

    def number(self, event: Mapping[str, object]) -> object:
        """The number of an event's thread; what the event says itself where that is no thread."""
        said = event.get("tid", 0)
        return self._numbers.get((str(event.get("pid", "")), str(said)), said)

    def place(self, lane: int) -> dict[str, object]:
        """Process and thread of a lane; for `NONE` a thread that nothing else is on."""
        if lane == NONE:
            return {"pid": self._lanes[0].process, "tid": self._free}
        found = self._lanes[lane]
        process = _integer(found.process)
        shown = found.process if process is None else process
        return {"pid": shown, "tid": self._numbers[found.process, found.thread]}


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
