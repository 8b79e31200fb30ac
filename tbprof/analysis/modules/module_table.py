"""The table of modules: a tree of rows, each behind the row it lies in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.modules.figures import PartCost
from tbprof.analysis.modules.folding import Spread, folded, spread_of
from tbprof.analysis.modules.parts import Part, find_parts
from tbprof.model import ProgramPartKind
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.tables import Tables

MODULE_TABLES: Tables = frozenset(("autograd", "kernels"))
"""What of a trace leads from the backward pass to the forward pass, and from a kernel to its CUDA graph."""

MOST_KERNELS = 5
"""Of each row, those that take longest."""


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
    """Of the device times of the equal parts, host times without a device."""
    source: str | None
    """`file(line): function` in which it was called first; None where no stacks are recorded."""
    kernels: tuple[PartKernel, ...]
    """That it launched itself, the longest first."""


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
