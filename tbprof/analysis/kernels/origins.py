"""From which compiled region or CUDA graph, and from which code, kernels come."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.facts import Facts
from tbprof.analysis.modules.owners import Owners, find_owners
from tbprof.analysis.modules.part_ranges import part_ranges
from tbprof.analysis.operators.members import code_of_calls
from tbprof.analysis.operators.operators import find_operators
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

_REGIONS = ("compiled", "graph")


@dataclass(frozen=True, slots=True)
class Origin:
    region: str | None
    """`Torch-Compiled Region: 0/0 > CUDA graph 3`, of the forward pass for what autograd runs for it."""
    source: Source | None
    """The user's function from which most of its time comes; of the backward pass that of the forward one."""
    places: int
    """How many pairs of a region and a function there are."""


def kernel_origins(facts: Facts, kernels: Int64s, length: Int64s, at: Int64s, count: int) -> list[Origin]:
    """By group the one with most time, of equal ones the first.

    Args:
        facts: Of the window.
        kernels: Positions in `Facts.work`.
        length: How long each ran.
        at: Group of each, from 0 on.
        count: Of the groups.
    """
    found, places = [Origin(None, None, 0)] * count, np.zeros(count, np.int64)
    work, operators = facts.work, facts.once(find_operators)
    launched = np.flatnonzero(work.launch[kernels] != NONE)
    rows = work.launch[kernels[launched]]
    if len(rows) == 0:
        return found
    source, sources = code_of_calls(facts, operators, operators.of_work[kernels[launched]], rows)
    region, regions = _regions(facts, rows)
    keys, which = distinct_lines(np.stack([at[launched], region, source], axis=1))
    spent = np.zeros(len(keys), np.int64)
    np.add.at(spent, which, length[launched])
    known = (keys[:, 1] != NONE) | (keys[:, 2] != NONE)
    np.add.at(places, keys[known, 0], 1)
    # The largest one of a group is written last.
    order = np.lexsort((-np.arange(len(keys)), spent))
    for group, in_region, in_source in keys[order].tolist():
        found[group] = Origin(
            None if in_region == NONE else regions[in_region],
            None if in_source == NONE else sources[in_source],
            int(places[group]),
        )
    return found


def _regions(facts: Facts, rows: Int64s) -> tuple[Int64s, list[str]]:
    """For each call of the host an index into the names of regions, or `NONE`."""
    if all(label.kind not in _REGIONS for label in part_ranges(facts).labels):
        return np.full(len(rows), NONE, np.int64), []
    owners, slices = find_owners(facts), facts.trace.slices
    around = owners.nest.innermost(
        slices.lane[rows].astype(np.int64), slices.start_ns[rows], slices.end_of(rows)
    )
    paths = [_path(owners, node) for node in range(len(owners.parent))]
    names = [*dict.fromkeys(filter(None, paths))]
    of_node = np.array([names.index(path) if path else NONE for path in paths], np.int64)
    return np.where(around == NONE, NONE, of_node[owners.node[np.maximum(around, 0)]]), names


def _path(owners: Owners, node: int) -> str:
    """The regions around a node with its own name, outermost first; without modules."""
    found = []
    while node != NONE:
        label = owners.labels[node]
        if label is not None and label.kind in _REGIONS:
            found.append(label.name)
        node = int(owners.parent[node])
    return " > ".join(reversed(found))
