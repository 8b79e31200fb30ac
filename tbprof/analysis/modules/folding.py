"""Equal layers as one part, with what tells one of them from the others.

Equal are parts of one part that have the same class and, in the same order, equal parts within; parts that
hold no others are so only on a device, when they launch the same kernels: shapes choose the kernels. What
lies in equal parts is put together place by place.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

import numpy as np

from tbprof.analysis.modules.parts import Kernels, Member, Part
from tbprof.averages import median
from tbprof.records import dataclass

FEWEST_EQUAL = 2
FEWEST_EQUAL_LEAVES = 4
"""Three projections of one attention are better told apart."""

FEWEST_FOR_ODD = 3
ODD_SHARE = 0.1
ODD_DEVIATIONS = 3.0
"""Of the median absolute deviation times 1.4826, which is the standard deviation of a normal distribution;
the usual bound of an outlier (Leys et al., 2013)."""
_DEVIATION_OF_NORMAL = 1.4826


@dataclass(frozen=True, slots=True)
class Spread:
    """Of the members of a part that stands for several, in ns."""

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
    """Of what lies at one place of equal parts: their name if they have one, else their class."""
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
