"""The parts of a program as a tree, in the order in which they first ran."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_figures import FIGURES, PartFigures, part_figures
from tbprof.analysis.figures.module_owners import ROOT, Owners, find_owners
from tbprof.analysis.figures.part_labels import PartLabel, is_loss
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

OUTSIDE = PartLabel("outside", "outside modules", "")
"""What belongs to no part: the loop around the model, the data, the clipping of gradients."""
_WHOLE = PartLabel("outside", "", "")

Kernels = dict[str, tuple[int, int]]
"""How long the kernels of each name ran, in ns, and how many there were."""


@dataclass(frozen=True, slots=True)
class Member:
    """One of several equal parts, or a part by itself."""

    name: str
    ns: int
    """On the device, forward and backward; on the host where no device is recorded."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    label: PartLabel
    name: str
    """Within the part around it."""
    own: Int64s
    """Its own figures, in the order of `FIGURES`, without the parts within."""
    total: Int64s
    parts: tuple[Part, ...]
    members: tuple[Member, ...]
    """Itself, or those that were folded into it."""
    kernels: Kernels
    """The kernels that it launched itself."""
    row: int
    """The row of its first call in the trace; `NONE` where it has none."""


def find_parts(facts: Facts, steps: Int64s | None) -> Part:
    """The root, which holds all; `steps` as in `part_figures`."""
    owners = find_owners(facts)
    return _Building(facts, owners, part_figures(facts, owners, steps)).root()


class _Building:
    def __init__(self, facts: Facts, owners: Owners, figures: PartFigures) -> None:
        self._owners, self._own = owners, figures.own
        self._has_device = bool(facts.work.devices)
        self._kernels = _kernels(facts, figures)
        start = facts.trace.slices.start_ns
        self._first = np.full(len(owners.parent), NONE, np.int64)
        rows = owners.nest.rows[owners.is_part]
        order = np.argsort(-start[rows], kind="stable")
        self._first[owners.node[owners.is_part][order]] = rows[order]
        self._inner: dict[int, list[int]] = defaultdict(list)
        never = int(start.max(initial=0)) + 1
        begun = np.where(self._first == NONE, never, start[np.maximum(self._first, 0)] if len(start) else 0)
        for node in np.argsort(begun, kind="stable").tolist():
            self._inner[int(owners.parent[node])].append(node)

    def root(self) -> Part:
        parts = [part for node in self._inner[ROOT] if (part := self._part(node, "")).total.any()]
        outside = self._made(OUTSIDE, OUTSIDE.name, ROOT, ())
        parts += [outside] if outside.total.any() else []
        nothing = np.zeros(len(FIGURES), np.int64)
        total = np.add.reduce([part.total for part in parts]) if parts else nothing
        return Part(_WHOLE, "", nothing, total, tuple(parts), (), {}, NONE)

    def _part(self, node: int, around: str) -> Part:
        label = self._owners.labels[node]
        assert label is not None
        if not around and is_loss(label):
            label = PartLabel("loss", label.name, label.class_name)
        inner = [self._part(each, label.name) for each in self._inner[node]]
        name = label.name.removeprefix(f"{around}.") if around else label.name
        return self._made(label, name, node, tuple(part for part in inner if part.total.any()))

    def _made(self, label: PartLabel, name: str, node: int, parts: tuple[Part, ...]) -> Part:
        own = self._own[node]
        total = np.add.reduce([own, *(part.total for part in parts)])
        member = Member(label.name, ranked_ns(total, has_device=self._has_device))
        return Part(label, name, own, total, parts, (member,), self._kernels[node], int(self._first[node]))


def ranked_ns(figures: Int64s, *, has_device: bool) -> int:
    """The device time of these figures, the host time where no device is recorded."""
    place = "device" if has_device else "host"
    ns = figures[FIGURES.index(f"{place}_forward_ns")] + figures[FIGURES.index(f"{place}_backward_ns")]
    return int(ns)


def _kernels(facts: Facts, figures: PartFigures) -> dict[int, Kernels]:
    """The kernels of each node."""
    trace, work = facts.trace, facts.work
    length = (work.end_ns - work.start_ns)[figures.work]
    name = trace.slices.name[work.rows[figures.work]].astype(np.int64)
    key = figures.node_of_work * max(len(trace.names), 1) + name
    distinct, which, calls = np.unique(key, return_inverse=True, return_counts=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, which.reshape(-1), length)
    found: dict[int, Kernels] = defaultdict(dict)
    for one, ns, count in zip(distinct.tolist(), sums.tolist(), calls.tolist(), strict=True):
        node, at = divmod(one, max(len(trace.names), 1))
        found[node][trace.names[at]] = (ns, count)
    return found
