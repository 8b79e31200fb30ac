"""The records of the page of modules from a window's facts."""

from __future__ import annotations

import heapq

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.icicle import shown_steps
from tbprof.analysis.figures.kernel_names import short_name
from tbprof.analysis.figures.module_table import ModuleRow, ModuleTable, Spread, module_table
from tbprof.texts.icicle import icicle_opening, kind_missing
from tbprof.views.modules import EqualParts, ModuleKernel, ModuleNode, ModulesView
from tbprof.views.steady import us

_MOST_NAMED = 3
_AS_GOOD_AS_WHOLE = 0.8
"""The share of a part from which the headline names what lies in it, unless these are equal layers."""
_LEAST_NAMED = 0.05
_WORDED = ("outside", "communication", "loss", "before", "between", "gradients", "after")
"""Kinds whose names are words of ours."""


def modules_view(facts: Facts) -> ModulesView:
    """The modules of the steps that are not cold; `facts` with `MODULE_TABLES`."""
    shown = shown_steps(facts).tolist()
    table = module_table(facts, shown)
    steps = max(len(shown), 1)
    nodes = tuple(_node(row, steps, has_device=table.has_device) for row in table.rows)
    return ModulesView(
        steps=len(shown),
        marks_steps=facts.steps.recorded,
        has_device=table.has_device,
        headline=_headline(table, nodes, of_step=facts.steps.recorded),
        missing="" if table.names_parts else kind_missing("module"),
        nodes=nodes,
    )


def _node(row: ModuleRow, steps: int, *, has_device: bool) -> ModuleNode:
    total, own = row.total, row.own

    def of_device(ns: int) -> float | None:
        return us(ns) / steps if has_device else None

    return ModuleNode(
        kind=row.kind,
        name=row.name,
        class_name=row.class_name,
        parent=row.parent,
        calls=own.calls / steps,
        device_us=of_device(total.device_ns),
        device_forward_us=of_device(total.device_forward_ns),
        device_backward_us=of_device(total.device_backward_ns),
        device_own_us=of_device(own.device_ns),
        host_us=us(total.host_ns) / steps,
        host_forward_us=us(total.host_forward_ns) / steps,
        host_backward_us=us(total.host_backward_ns) / steps,
        host_own_us=us(own.host_ns) / steps,
        launches=total.launches / steps if has_device else None,
        idle_us=of_device(total.idle_ns),
        wait_us=of_device(total.wait_ns),
        equal=None if row.spread is None else _equal(row.spread, row.count, steps),
        source=row.source,
        kernels=tuple(
            ModuleKernel(one.name, short_name(one.name), one.calls / steps, us(one.ns) / steps)
            for one in row.kernels
        ),
    )


def _equal(spread: Spread, count: int, steps: int) -> EqualParts:
    return EqualParts(
        count=count,
        least_us=us(spread.least_ns) / steps,
        median_us=us(spread.median_ns) / steps,
        most_us=us(spread.most_ns) / steps,
        odd=None if spread.odd is None else spread.odd.name,
        odd_us=None if spread.odd is None else us(spread.odd.ns) / steps,
    )


def _headline(table: ModuleTable, nodes: tuple[ModuleNode, ...], *, of_step: bool) -> str:
    """The headline for the first node from the root on that does not lie in one part as good as whole."""
    times = [node.host_us if node.device_us is None else node.device_us for node in nodes]
    if not times[0]:
        return ""
    parts = _largest(nodes, times, 0)
    while times[parts[0]] >= _AS_GOOD_AS_WHOLE * times[0] and nodes[parts[0]].equal is None:
        inner = _largest(nodes, times, parts[0])
        if not inner:
            break
        parts = inner
    named = [(nodes[at].name, times[at] / times[0]) for at in parts if times[at] >= _LEAST_NAMED * times[0]]
    worded = {node.name for node in nodes if node.kind in _WORDED}
    return icicle_opening(times[0], named, on_device=table.has_device, of_step=of_step, worded=worded)


def _largest(nodes: tuple[ModuleNode, ...], times: list[float], parent: int) -> list[int]:
    inside = (at for at, node in enumerate(nodes) if node.parent == parent)
    return heapq.nlargest(_MOST_NAMED, inside, key=lambda at: times[at])
