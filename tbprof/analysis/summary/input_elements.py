"""How much an op was given to work on: the elements of all its inputs, where shapes were recorded."""

from __future__ import annotations

import re
from functools import lru_cache
from math import prod

import numpy as np

from tbprof.trace.columns.arrays import NONE, Int64s, distinct_places
from tbprof.trace.columns.columns import Trace

_MOST = 2**50
"""No memory holds more elements: what says so was not recorded right."""
_SHAPE = re.compile(r"\[(\d{1,18}(?:,\d{1,18})*)\]")


def input_elements(trace: Trace, rows: Int64s) -> Int64s:
    """Of the op in each row; `NONE` for no op, and where nothing was recorded."""
    shapes = np.where(rows == NONE, NONE, trace.input_shapes.at(rows))
    distinct, which = distinct_places(shapes)
    sizes = [NONE if one == NONE else _elements(trace.names[one]) for one in distinct.tolist()]
    return np.array(sizes, np.int64)[which]


@lru_cache(maxsize=65536)
def _elements(shapes: str) -> int:
    found = sum(prod(map(int, shape.split(","))) for shape in _SHAPE.findall(shapes))
    return found if found <= _MOST else NONE
