"""What is known of one row of the tables of operators and kernels, summed by names, code and calls."""

from __future__ import annotations

import re
from functools import lru_cache
from math import prod

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_table import KernelRow, kernels_of
from tbprof.analysis.figures.operator_grouping import (
    Grouping,
    GroupRow,
    calls_of_row,
    code_of_calls,
    code_of_kernels,
    group_operators,
    work_of_calls,
)
from tbprof.analysis.figures.operators import find_operators
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct_places
from tbprof.trace.columns.columns import Trace

_MOST_CODE = 8
_MOST_PLACES = 3


@dataclass(frozen=True, slots=True)
class Part:
    """Kernels of an operator by name, or operators that launch a kernel."""

    name: str
    calls: int
    device_ns: int


@dataclass(frozen=True, slots=True)
class Code:
    source: Source
    calls: int
    time_ns: int
    """The time on the device; on the host where no device is recorded."""


@dataclass(frozen=True, slots=True)
class Place:
    """One call, or one kernel."""

    row: int
    """A row of the trace."""
    step: int | None
    """The step that holds its start, or the start of its launch for a kernel."""
    start_ns: int
    host_ns: int | None
    device_ns: int | None


@dataclass(frozen=True, slots=True)
class RowParts:
    parts: tuple[Part, ...]
    """All, the largest first."""
    code: tuple[Code, ...]
    """The code that most of its time comes from."""
    places: tuple[Place, ...]
    """The median one, then the longest ones."""


def parts_of_operator(facts: Facts, by: Grouping, row: GroupRow, *, in_steps: bool) -> RowParts:
    """The kernels within its calls, and where those are.

    Args:
        facts: Of the window.
        by: What the table was made by, and `in_steps` as it was.
        row: One of it.
        in_steps: See there.
    """
    operators = facts.once(find_operators)
    calls = calls_of_row(operators, group_operators(facts, operators, by), row, in_steps=in_steps)
    work = work_of_calls(operators, calls)
    rows, host = operators.rows[calls], facts.trace.slices.duration_ns[operators.rows[calls]]
    device = operators.device_total_ns[calls] if facts.work.devices else None
    return RowParts(
        parts=_parts(facts, facts.trace.slices.name[facts.work.rows[work]].astype(np.int64), work),
        code=_code(*code_of_calls(facts, operators, calls, rows), host if device is None else device),
        places=_places(facts, rows, host, device),
    )


def parts_of_kernel(facts: Facts, row: KernelRow, *, in_steps: bool) -> RowParts:
    """The operators that launch it, and where it runs; arguments as of `parts_of_operator`."""
    operators, work = facts.once(find_operators), facts.work
    kernels = kernels_of(facts, in_steps=in_steps)
    wanted = facts.trace.names.index(row.name)
    kernels = kernels[facts.trace.slices.name[work.rows[kernels]] == wanted]
    length = work.end_ns[kernels] - work.start_ns[kernels]
    calls = operators.of_work[kernels]
    by_operator, launched = calls != NONE, work.launch[kernels] != NONE
    names = facts.trace.slices.name[operators.rows[calls[by_operator]]].astype(np.int64)
    return RowParts(
        parts=(*_parts(facts, names, kernels[by_operator]), *_scopes(facts, kernels[~by_operator])),
        code=_code(*code_of_kernels(facts, operators, kernels[launched]), length[launched]),
        places=_places(facts, work.rows[kernels], None, length),
    )


def _parts(facts: Facts, names: Int64s, work: Int64s) -> tuple[Part, ...]:
    """The parts by name, one for each of `work`, which are positions in `Facts.work`."""
    distinct, at, calls = np.unique(names, return_inverse=True, return_counts=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, at, facts.work.end_ns[work] - facts.work.start_ns[work])
    return tuple(
        Part(facts.trace.names[int(distinct[one])], int(calls[one]), int(total[one]))
        for one in np.argsort(-total, kind="stable").tolist()
    )


def _scopes(facts: Facts, work: Int64s) -> tuple[Part, ...]:
    """What no operator launched but a CUDA graph replays, by the scopes that were noted of it."""
    places = facts.graph_places
    length = facts.work.end_ns[work] - facts.work.start_ns[work]
    of_label = places.label[work]
    spent = np.zeros(len(places.labels), np.int64)
    np.add.at(spent, of_label[of_label != NONE], length[of_label != NONE])
    count = np.bincount(of_label[of_label != NONE], minlength=len(places.labels))
    order = np.argsort(-spent, kind="stable").tolist()
    return tuple(Part(places.labels[at], int(count[at]), int(spent[at])) for at in order if count[at])


def _code(at: Int64s, sources: tuple[Source, ...], time_ns: Int64s) -> tuple[Code, ...]:
    known = at != NONE
    count = np.bincount(at[known], minlength=len(sources))
    total = np.zeros(len(sources), np.int64)
    np.add.at(total, at[known], time_ns[known])
    return tuple(
        Code(sources[one], int(count[one]), int(total[one]))
        for one in np.argsort(-total, kind="stable")[:_MOST_CODE].tolist()
        if count[one]
    )


def _places(
    facts: Facts, rows: Int64s, host_ns: Int64s | None, device_ns: Int64s | None
) -> tuple[Place, ...]:
    """Places, those with most time on the device first, else on the host."""
    ranked = host_ns if device_ns is None or not device_ns.any() else device_ns
    if ranked is None or not len(rows):
        return ()
    order = np.argsort(-ranked, kind="stable")
    chosen = dict.fromkeys([int(order[len(order) // 2]), *order[:_MOST_PLACES].tolist()])
    steps = facts.steps.index_of(_begun_ns(facts, rows))
    return tuple(
        Place(
            row=int(rows[at]),
            step=None if steps[at] == NONE else int(steps[at]),
            start_ns=int(facts.trace.slices.start_ns[rows[at]]),
            host_ns=None if host_ns is None else int(host_ns[at]),
            device_ns=None if device_ns is None else int(device_ns[at]),
        )
        for at in chosen
    )


def _begun_ns(facts: Facts, rows: Int64s) -> Int64s:
    """Start of each, of what a device did that of its launch."""
    start = facts.trace.slices.start_ns.copy()
    start[facts.work.rows] = facts.work.launch_start_ns
    found: Int64s = start[rows]
    return found


_MOST = 2**50
"""No memory holds more elements: what says so was not recorded right."""
_SHAPE = re.compile(r"\[(\d{1,18}(?:,\d{1,18})*)\]")


def input_elements(trace: Trace, rows: Int64s) -> Int64s:
    """The number of input elements of the op in each row; `NONE` for no op, and where nothing was
    recorded.
    """
    shapes = np.where(rows == NONE, NONE, trace.input_shapes.at(rows))
    distinct, which = distinct_places(shapes)
    sizes = [NONE if one == NONE else _elements(trace.names[one]) for one in distinct.tolist()]
    return np.array(sizes, np.int64)[which]


@lru_cache(maxsize=65536)
def _elements(shapes: str) -> int:
    found = sum(prod(map(int, shape.split(","))) for shape in _SHAPE.findall(shapes))
    return found if found <= _MOST else NONE
