"""Who allocated how much memory, row by row."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.memory_blocks import (
    DeviceMemory,
    allocating_calls,
    change_bytes,
    window_memory,
)
from tbprof.analysis.figures.operator_grouping import Grouping, Groups, group_operators
from tbprof.analysis.figures.operators import Operators, add_inner, find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s


@dataclass(frozen=True, slots=True)
class MemoryRow:
    device: str
    name: str | None
    """None of what belongs to no operator."""
    shapes: str | None
    stack: tuple[str, ...] | None
    calls: int | None
    """None of what belongs to no operator."""
    increase_bytes: int
    """With the operators inside it."""
    self_increase_bytes: int
    allocations: int
    self_allocations: int
    allocated_bytes: int
    self_allocated_bytes: int
    at_peak_bytes: int | None
    """The part of what it allocated itself that was there at the peak of the device; None without
    addresses."""
    kept_bytes: int | None
    """The same at the end of the window."""


def memory_rows(facts: Facts, by: Grouping, *, in_steps: bool) -> tuple[MemoryRow, ...]:
    """Device by device, of each the row that allocated most itself first.

    Args:
        facts: With `MEMORY_TABLES`.
        by: What a row is beside its device.
        in_steps: Whether only events and calls that lie in a step are counted.
    """
    groups = group_operators(facts, facts.once(find_operators), by)
    return tuple(
        row
        for device in facts.once(window_memory)
        for row in _of_device(facts, device, groups, by, in_steps=in_steps)
    )


def _of_device(
    facts: Facts, device: DeviceMemory, groups: Groups, by: Grouping, *, in_steps: bool
) -> list[MemoryRow]:
    operators, curve, call = facts.once(find_operators), device.curve, allocating_calls(facts, device)
    step = facts.steps.index_of(curve.time_ns)
    counted = step != NONE if in_steps else np.ones(len(step), np.bool_)
    code = step if by == "step" else _at(groups.code, call)
    none = _none(groups)
    code = np.where(code == NONE, none, code)
    length = len(groups.names) + 1
    figures = _figures(np.where(counted, change_bytes(facts, device), 0))
    own = _grouped(figures, code, length)
    held = _held(device, code, length)
    totals = _totals(operators, groups, call, figures, own)
    kept = operators.step != NONE if in_steps else np.ones(len(operators), np.bool_)
    calls = np.bincount(groups.code[kept], minlength=length)
    shown = np.flatnonzero(np.any(own != 0, axis=1) | np.any(totals != 0, axis=1))
    order = shown[np.lexsort((shown, -own[shown, 2]))]
    return [
        _row(curve.device, groups, at, int(calls[at]), totals[at].tolist(), own[at].tolist(), held)
        for at in order.tolist()
    ]


def _row(
    device: str,
    groups: Groups,
    at: int,
    calls: int,
    totals: list[int],
    own: list[int],
    held: Int64s | None,
) -> MemoryRow:
    is_named, is_none = at < len(groups.names), at == _none(groups)
    return MemoryRow(
        device=device,
        name=groups.names[at] or None if is_named else None,
        shapes=groups.shapes[at] if groups.shapes is not None and is_named else None,
        stack=groups.stacks[at] if groups.stacks is not None and is_named else None,
        calls=None if is_none else calls,
        increase_bytes=totals[0],
        self_increase_bytes=own[0],
        allocations=totals[1],
        self_allocations=own[1],
        allocated_bytes=totals[2],
        self_allocated_bytes=own[2],
        at_peak_bytes=None if held is None else int(held[at, 0]),
        kept_bytes=None if held is None else int(held[at, 1]),
    )


def _none(groups: Groups) -> int:
    """The group of what belongs to no operator: that of no module where the groups are modules."""
    return (
        len(groups.names) if groups.is_of_one_operator or "" not in groups.names else groups.names.index("")
    )


def _figures(change: Int64s) -> Int64s:
    """The increase, number of allocations and allocated bytes of each event."""
    return np.stack([change, change > 0, np.maximum(change, 0)], axis=1).astype(np.int64)


def _grouped(figures: Int64s, code: Int64s, length: int) -> Int64s:
    found = np.zeros((length, figures.shape[1]), np.int64)
    np.add.at(found, code, figures)
    return found


def _totals(
    operators: Operators,
    groups: Groups,
    call: Int64s,
    figures: Int64s,
    own: Int64s,
) -> Int64s:
    """What lies in the calls of a group: where calls of one group lie in each other, once."""
    if not groups.is_of_one_operator:
        return own
    known = call != NONE
    of_calls = _grouped(figures[known], call[known], len(operators))
    add_inner(operators.parent, of_calls.T)
    of_calls[operators.is_inside_its_like(groups.code)] = 0
    found = _grouped(of_calls, groups.code, len(own))
    found[_none(groups)] = own[_none(groups)]
    return found


def _held(device: DeviceMemory, code: Int64s, length: int) -> Int64s | None:
    """What each group allocated that was there at the peak, and after the last event."""
    blocks, curve = device.blocks, device.curve
    if blocks is None:
        return None
    found = np.zeros((length, 2), np.int64)
    for column, event in enumerate((curve.peak, len(curve.events) - 1)):
        alive = blocks.alive_after(event)
        np.add.at(found[:, column], code[blocks.allocated_at[alive]], blocks.bytes[alive])
    return found


def _at(values: Int64s, at: Int64s) -> Int64s:
    found = np.full(len(at), NONE, np.int64)
    found[at != NONE] = values[at[at != NONE]]
    return found
