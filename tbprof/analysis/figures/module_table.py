"""The table of modules: a tree of rows, each after the row it lies in.

Equal layers as one part, with what tells one of them from the others.

Equal are parts of one part that have the same class and, in the same order, equal parts within; parts that
hold no others are so only on a device, when they launch the same kernels: shapes choose the kernels. What
lies in equal parts is put together place by place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from statistics import median

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_figures import PartCost
from tbprof.analysis.figures.module_parts import Kernels, Member, Part, find_parts
from tbprof.model import ProgramPartKind
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.tables import Tables

MODULE_TABLES: Tables = frozenset(("autograd", "graphs", "kernels"))
"""What of a trace leads from the backward pass to the forward pass, and from a kernel to its CUDA graph."""

MOST_KERNELS = 5
"""The most kernels of a row: those that take longest."""


@dataclass(frozen=True, slots=True)
class PartKernel:
    """Kernels, copies or memsets of one name."""

    name: str
    ns: int
    calls: int


@dataclass(frozen=True, slots=True)
class ModuleRow:
    kind: ProgramPartKind
    name: str
    """Within the row around it, `layers.0-31` of equal ones; "" of the root."""
    class_name: str
    """"" of what is no module."""
    path: tuple[str, ...]
    """The same for the same place of a program in another window, whatever the number of equal layers."""
    parent: int | None
    """Index of a row before this one; None of the root."""
    count: int
    """Equal parts that it stands for."""
    own: PartCost
    """Without the rows within it."""
    total: PartCost
    spread: Spread | None
    """The spread of the device times of the equal parts, of host times without a device."""
    source: str | None
    """`file(line): function` in which it was called first; None where no stacks are recorded."""
    kernels: tuple[PartKernel, ...]
    """The kernels that it launched itself, the longest first."""


@dataclass(frozen=True, slots=True)
class ModuleTable:
    rows: tuple[ModuleRow, ...]
    """The root first; those of one parent in the order in which they first ran."""
    names_parts: bool
    """Whether any module, compiled region or CUDA graph is recorded."""
    has_device: bool


def module_table(facts: Facts, steps: Sequence[int] | None) -> ModuleTable:
    """The modules of the whole trace, or of the steps with these indices."""
    chosen = None if steps is None else np.array(steps, np.int64)
    sources = _Sources(facts)
    rows: list[ModuleRow] = []
    _add_rows(rows, folded(find_parts(facts, chosen)), None, (), sources)
    return ModuleTable(
        rows=tuple(rows),
        names_parts=any(row.kind in ("module", "compiled", "graph") for row in rows),
        has_device=bool(facts.work.devices),
    )


def _add_rows(
    rows: list[ModuleRow], part: Part, parent: int | None, path: tuple[str, ...], sources: _Sources
) -> None:
    at = len(rows)
    longest = sorted(part.kernels.items(), key=lambda kernel: -kernel[1][0])[:MOST_KERNELS]
    rows.append(
        ModuleRow(
            kind=part.label.kind,
            name=part.name,
            class_name=part.label.class_name,
            path=path,
            parent=parent,
            count=max(len(part.members), 1),
            own=PartCost(*part.own.tolist()),
            total=PartCost(*part.total.tolist()),
            spread=spread_of(part.members),
            source=sources.of(part.row),
            kernels=tuple(PartKernel(name, ns, calls) for name, (ns, calls) in longest),
        )
    )
    for inner, step in zip(part.parts, _places(part), strict=True):
        _add_rows(rows, inner, at, (*path, step), sources)


def _places(part: Part) -> Iterator[str]:
    """For each part within it a name that another window's has as well: its class, and a number if needed."""
    names = [inner.label.class_name or inner.name for inner in part.parts]
    found, count = Counter[str](), Counter(names)
    for name in names:
        found[name] += 1
        yield name if count[name] == 1 else f"{name} {found[name]}"


class _Sources:
    """The user's frame around a call."""

    def __init__(self, facts: Facts) -> None:
        self._trace = facts.trace
        self._nest = facts.user_frames

    def of(self, row: int) -> str | None:
        if row == NONE:
            return None
        slices, one = self._trace.slices, np.array([row])
        at = self._nest.innermost(slices.lane[one].astype(np.int64), slices.start_ns[one], slices.end_of(one))
        return None if at[0] == NONE else self._trace.names[slices.name[self._nest.rows[at[0]]]]


FEWEST_EQUAL = 2
FEWEST_EQUAL_LEAVES = 4
"""Three projections of one attention are better told apart."""

FEWEST_FOR_ODD = 3
ODD_SHARE = 0.1
ODD_DEVIATIONS = 3.0
"""Median absolute deviations times 1.4826, which is the standard deviation of a normal
the usual bound of an outlier (Leys et al., 2013)."""
_DEVIATION_OF_NORMAL = 1.4826


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread over the members of a part that stands for several, in ns."""

    least_ns: int
    median_ns: int
    most_ns: int
    odd: Member | None
    """The one that is farthest from the median, if it lies apart from the others."""


def spread_of(members: Sequence[Member]) -> Spread | None:
    """None of a part that stands for itself."""
    if len(members) < FEWEST_EQUAL:
        return None
    times = [member.ns for member in members]
    middle = median(times)
    odd = max(members, key=lambda member: abs(member.ns - middle))
    away = abs(odd.ns - middle)
    deviation = _DEVIATION_OF_NORMAL * median(abs(ns - middle) for ns in times)
    is_odd = (
        len(members) >= FEWEST_FOR_ODD and away > ODD_SHARE * middle and away > ODD_DEVIATIONS * deviation
    )
    return Spread(min(times), round(middle), max(times), odd if is_odd else None)


def folded(part: Part) -> Part:
    """The same with equal parts folded, at every depth."""
    groups: dict[Hashable, list[Part]] = {}
    for at, inner in enumerate(part.parts):
        groups.setdefault(_form(inner) or at, []).append(inner)
    parts: list[Part] = []
    for equal in groups.values():
        fewest = FEWEST_EQUAL if equal[0].parts else FEWEST_EQUAL_LEAVES
        parts += [_merged(equal, _name_of_all(equal))] if len(equal) >= fewest else equal
    return Part(
        part.label,
        part.name,
        part.own,
        part.total,
        tuple(folded(inner) for inner in parts),
        part.members,
        part.kernels,
        part.row,
    )


def _form(part: Part) -> Hashable:
    """Equal of equal parts; None of one that is equal to no other."""
    if part.label.kind != "module":
        return None
    if not part.parts:
        return (part.label.class_name, tuple(sorted(part.kernels))) if part.kernels else None
    return part.label.class_name, tuple(_inner_form(inner) for inner in part.parts)


def _inner_form(part: Part) -> Hashable:
    name = part.label.class_name or part.name
    return part.label.kind, name, tuple(_inner_form(inner) for inner in part.parts)


def _merged(equal: Sequence[Part], name: str) -> Part:
    first = equal[0]
    places = zip(*(part.parts for part in equal), strict=True)
    kernels: Kernels = {}
    for part in equal:
        for kernel, (ns, calls) in part.kernels.items():
            known = kernels.get(kernel, (0, 0))
            kernels[kernel] = (known[0] + ns, known[1] + calls)
    return Part(
        label=first.label,
        name=name,
        own=np.add.reduce([part.own for part in equal]),
        total=np.add.reduce([part.total for part in equal]),
        parts=tuple(_merged(place, _name_in_all(place)) for place in places),
        members=tuple(member for part in equal for member in part.members),
        kernels=kernels,
        row=first.row,
    )


def _name_in_all(equal: Sequence[Part]) -> str:
    """The name of what lies at one place of equal parts: their name if they have one, else their class."""
    names = {part.name for part in equal}
    return names.pop() if len(names) == 1 else equal[0].label.class_name


def _name_of_all(equal: Sequence[Part]) -> str:
    """`layers.0-31` of names that differ in one number alone, which counts up; else their class."""
    pieces = [re.split(r"(\d+)", part.name) for part in equal]
    differ = [at for at, each in enumerate(zip(*pieces, strict=False)) if len(set(each)) > 1]
    if len({len(each) for each in pieces}) > 1 or len(differ) != 1 or differ[0] % 2 == 0:
        return equal[0].label.class_name
    numbers = sorted(int(each[differ[0]]) for each in pieces)
    if numbers[-1] - numbers[0] != len(numbers) - 1:
        return equal[0].label.class_name
    before, after = "".join(pieces[0][: differ[0]]), "".join(pieces[0][differ[0] + 1 :])
    return f"{before}{numbers[0]}-{numbers[-1]}{after}"
