"""The ops of a thread in order, and which of them ran on the host alone.

On the host alone means that no call of a device's runtime lies in the op.

Shapes and types of an op's inputs, where they were recorded.

The columns hold them as text, equal for equal inputs: a shape is `[4,5]`, that of a number `[]`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import match
from tbprof.analysis.nesting import nested_order
from tbprof.trace.columns.arrays import Int64s, SparseColumn
from tbprof.trace.columns.columns import Category, Trace


def ops_of(facts: Facts, lane: int) -> Int64s:
    """Rows of a lane's ops, ascending by start, the longer first."""
    rows = facts.once(_ordered_ops)
    first, end = np.searchsorted(facts.trace.slices.lane[rows], (lane, lane + 1))
    return rows[first:end]


def _ordered_ops(facts: Facts) -> Int64s:
    """The ops of all lanes, lane by lane."""
    slices = facts.trace.slices
    rows = np.flatnonzero(slices.category == Category.CPU_OP)
    ordered: Int64s = rows[nested_order(slices, rows)]
    return ordered


def host_ops(facts: Facts, pattern: str, lane: int) -> Int64s:
    """The ops of a lane whose name matches, in the same order."""
    slices = facts.trace.slices
    rows = ops_of(facts, lane)
    rows = rows[match(facts.trace, rows, pattern)]
    calls = np.sort(
        slices.start_ns[(slices.category == Category.RUNTIME) & (slices.lane == lane)], kind="stable"
    )
    start, end = slices.start_ns[rows], slices.end_of(rows)
    first = np.searchsorted(calls, start, side="left")
    alone: Int64s = rows[first == np.searchsorted(calls, end, side="right")]
    return alone


def top_level_ops(facts: Facts, ops: Int64s) -> Int64s:
    """The ops of a lane that lie in no other."""
    slices = facts.trace.slices
    reach = np.maximum.accumulate(slices.end_of(ops))
    before = np.concatenate([np.array([np.iinfo(np.int64).min]), reach[:-1]])[: len(ops)]
    outermost: Int64s = ops[slices.start_ns[ops] >= before]
    return outermost


def first_from(facts: Facts, ops: Int64s, instant_ns: int) -> int:
    """Position of the first of these ops, ascending by start, that begins at or after an instant."""
    start_ns = facts.trace.slices.start_ns
    return bisect_left(ops, instant_ns, key=lambda row: int(start_ns[row]))


def ops_within(facts: Facts, ops: Int64s, row: int) -> Int64s:
    """The ops of a lane that begin while this one of them runs, itself included."""
    slices = facts.trace.slices
    start_ns = int(slices.start_ns[row])
    first = first_from(facts, ops, start_ns)
    return ops[first : max(first_from(facts, ops, start_ns + int(slices.duration_ns[row])), first + 1)]


UNKNOWN = ""
"""Not recorded, or no single shape, as of a list of tensors."""

_FIRST_SHAPE = re.compile(r"\[(\[[\d,]*\])")
_STRING = re.compile(r'"([^"]*)"')


def records_shapes(trace: Trace) -> bool:
    return len(trace.input_shapes.rows) > 0


def first_shape(trace: Trace, row: int) -> str:
    """The shape of the first input."""
    return _first_shape(_text(trace, trace.input_shapes, row))


def input_types(trace: Trace, row: int) -> tuple[str, ...]:
    """The input types as torch spells them (`float`, `unsigned char`, `c10::Half`); () where not recorded."""
    return _strings(_text(trace, trace.input_types, row))


def makes_shape(trace: Trace, row: int, shape: str) -> bool:
    """Whether an op was given this shape as a value, or has it as that of its first input."""
    shapes = (value.replace(" ", "") for value in _strings(_text(trace, trace.concrete_inputs, row)))
    return shape in shapes or first_shape(trace, row) == shape


def _text(trace: Trace, column: SparseColumn, row: int) -> str:
    (index,) = column.at(np.array([row])).tolist()
    return trace.names[index] if index >= 0 else ""


@lru_cache(maxsize=65536)
def _first_shape(text: str) -> str:
    found = _FIRST_SHAPE.match(text)
    return UNKNOWN if found is None else found[1]


@lru_cache(maxsize=65536)
def _strings(text: str) -> tuple[str, ...]:
    return tuple(_STRING.findall(text))
