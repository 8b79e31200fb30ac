"""The Python frames around each call of an operator; distinct stacks are stored once."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.arrays.nesting import Nest
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category, Trace

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Of an object, which no two runs share."""


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    stack: Int64s
    """For each row asked for an index into `frames`."""
    frames: tuple[tuple[str, ...], ...]
    """Innermost first; without the addresses of objects."""


def find_stacks(trace: Trace, rows: Int64s) -> Stacks:
    """Of these rows of the host, by their argument `Call stack` where the file has it (2021, `verbose`)."""
    if len(trace.call_stack.rows):
        return _written(trace, rows)
    slices = trace.slices
    nest = Nest.of(slices, np.flatnonzero(slices.category == Category.PYTHON))
    at = nest.innermost(slices.lane[rows].astype(np.int64), slices.start_ns[rows], slices.end_of(rows))
    innermost, of_row = np.unique(at, return_inverse=True)
    chain, heads = _chains(trace, nest, innermost)
    stack = np.unique(chain, return_inverse=True)[1][of_row]
    frames = tuple(_frames(trace, heads, int(one)) for one in distinct(chain))
    return Stacks(stack, frames)


def _chains(trace: Trace, nest: Nest, innermost: Int64s) -> tuple[Int64s, list[tuple[int, int]]]:
    """For each frame the number of its chain; a chain is a name and the chain of the frames within it.

    Returns:
        The numbers, and by number less one the chain inside and the name that was added to it.
    """
    chain, heads = np.zeros(len(innermost), np.int64), list[tuple[int, int]]()
    names, count = _clean_names(trace), 0
    end = trace.slices.end_of(nest.rows)
    at, open_ = innermost.copy(), np.flatnonzero(innermost != NONE)
    while len(open_):
        name = names[trace.slices.name[nest.rows[at[open_]]]]
        key = chain[open_] * (int(names.max(initial=0)) + 1) + name
        distinct, first, which = np.unique(key, return_index=True, return_inverse=True)
        heads += zip(chain[open_[first]].tolist(), name[first].tolist(), strict=True)
        chain[open_] = count + 1 + which
        count += len(distinct)
        at[open_] = nest.enclosing(at[open_], end[innermost[open_]])
        open_ = open_[at[open_] != NONE]
    return chain, heads


def _clean_names(trace: Trace) -> Int64s:
    """For each name the first one that is equal without addresses."""
    first: dict[str, int] = {}
    same = (first.setdefault(_ADDRESS.sub("", name), at) for at, name in enumerate(trace.names))
    return np.fromiter(same, np.int64, len(trace.names))


def _frames(trace: Trace, heads: list[tuple[int, int]], chain: int) -> tuple[str, ...]:
    found = []
    while chain:
        chain, name = heads[chain - 1]
        found.append(_ADDRESS.sub("", trace.names[name]))
    return tuple(reversed(found))


def _written(trace: Trace, rows: Int64s) -> Stacks:
    texts, of_row = np.unique(trace.call_stack.at(rows), return_inverse=True)
    clean = ["" if text == NONE else _ADDRESS.sub("", trace.names[text]) for text in texts.tolist()]
    number = {text: at for at, text in enumerate(dict.fromkeys(clean))}
    stack = np.array([number[text] for text in clean], np.int64)[of_row]
    return Stacks(stack, tuple(tuple(filter(None, text.split(";"))) for text in number))
