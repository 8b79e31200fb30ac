"""Shapes and types of an op's inputs, where they were recorded.

The columns hold them as text, equal for equal inputs: a shape is `[4,5]`, that of a number `[]`.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from tbprof.trace.columns.arrays import SparseColumn
from tbprof.trace.columns.columns import Trace

UNKNOWN = ""
"""Not recorded, or no single shape, as of a list of tensors."""

_FIRST_SHAPE = re.compile(r"\[(\[[\d,]*\])")
_STRING = re.compile(r'"([^"]*)"')


def records_shapes(trace: Trace) -> bool:
    return len(trace.input_shapes.rows) > 0


def first_shape(trace: Trace, row: int) -> str:
    """Of the first input."""
    return _first_shape(_text(trace, trace.input_shapes, row))


def input_types(trace: Trace, row: int) -> tuple[str, ...]:
    """As torch spells them (`float`, `unsigned char`, `c10::Half`); () where not recorded."""
    return _strings(_text(trace, trace.input_types, row))


def makes_shape(trace: Trace, row: int, shape: str) -> bool:
    """Whether an op was told this shape as a value, or has it as that of its first input."""
    told = (value.replace(" ", "") for value in _strings(_text(trace, trace.concrete_inputs, row)))
    return shape in told or first_shape(trace, row) == shape


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
