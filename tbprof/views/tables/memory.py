"""The tables of memory: what operators allocated, device by device, and every block with its lifetime."""

from __future__ import annotations

from typing import get_args

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.allocation_table import MemoryRow, memory_rows
from tbprof.analysis.figures.memory_blocks import (
    DeviceMemory,
    Holder,
    allocating_calls,
    holders_after,
    window_memory,
)
from tbprof.analysis.figures.operator_grouping import Grouping
from tbprof.analysis.figures.operators import find_operators
from tbprof.errors import UsageError
from tbprof.model import Source
from tbprof.texts.memory import MemoryFigures, memory_sentence
from tbprof.trace.columns.arrays import NONE
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Cell, Column, Json, Table
from tbprof.views.tables.operators import WHERE_MISSING, user_source

_MOST_HOLDERS = 20

_COLUMNS = (
    Column("name", "name"),
    Column("device", "device"),
    Column("shapes", "shapes"),
    Column("stack"),
    Column("source", "in"),
    Column("calls", "calls", "count"),
    Column("increase_bytes", "increase", "bytes"),
    Column("self_increase_bytes", "self", "bytes"),
    Column("allocations", "allocations", "count"),
    Column("self_allocations", "self", "count"),
    Column("allocated_bytes", "allocated", "bytes"),
    Column("self_allocated_bytes", "self", "bytes"),
    Column("at_peak_bytes", "at peak", "bytes"),
    Column("kept_bytes", "kept", "bytes"),
)
_BLOCK_COLUMNS = (
    Column("device", "device"),
    Column("name", "name"),
    Column("inside", "inside"),
    Column("bytes", "size", "bytes"),
    Column("allocated_us", "allocated", "us"),
    Column("freed_us", "freed", "us"),
    Column("lifetime_us", "lifetime", "us"),
    Column("step", "step"),
)


def memory(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """What operators allocated, as torch-tb-profiler's memory view counts it; `facts` with `MEMORY_TABLES`.

    Raises:
        UsageError: They are to be grouped by something else, or the trace has no allocations.
    """
    devices = _recorded(facts)
    grouping: Grouping | None = next((one for one in get_args(Grouping) if one == by), None)
    if grouping is None:
        raise UsageError(f"memory can't be grouped by {by}: give {', '.join(get_args(Grouping))}")
    rows = memory_rows(facts, grouping, in_steps=in_steps)
    if grouping in WHERE_MISSING and not any(_is_told(row, grouping) for row in rows):
        raise UsageError(f"this trace can't be grouped by {by}: {WHERE_MISSING[grouping]}")
    return Table(
        name="memory",
        by=by,
        sentence=_sentence(facts, devices, in_steps=in_steps, tells_before=True),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_COLUMNS,
        rows=tuple(_cells(row) for row in rows),
        beside={"devices": [peak_document(facts, device) for device in devices]},
    )


def allocations(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """Every block that was allocated or given back, with its lifetime; the largest first.

    Raises:
        UsageError: They are to be grouped, or the trace has no allocations with addresses.
    """
    if by != "name":
        raise UsageError(f"allocations can't be grouped by {by}: give name")
    devices = _recorded(facts)
    if any(device.blocks is None for device in devices):
        raise UsageError("this trace has no addresses of its allocations: record it with torch 1.10 or later")
    rows = [row for device in devices for row in _block_rows(facts, device, in_steps=in_steps)]
    return Table(
        name="allocations",
        by=by,
        sentence=_sentence(facts, devices, in_steps=in_steps),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_BLOCK_COLUMNS,
        rows=tuple(sorted(rows, key=lambda row: (row[0] == "CPU", row[0], -row[3]))),
    )


def _recorded(facts: Facts) -> tuple[DeviceMemory, ...]:
    devices = facts.once(window_memory)
    if not devices:
        raise UsageError("this trace has no allocations: record it with profile_memory=True")
    return devices


def _is_told(row: MemoryRow, by: Grouping) -> bool:
    return bool({"shapes": row.shapes, "stack": row.stack}.get(by, row.name))


def _sentence(
    facts: Facts, devices: tuple[DeviceMemory, ...], *, in_steps: bool, tells_before: bool = False
) -> str:
    """`tells_before`: what of the peak was there before the window, and so is in no row."""
    return memory_sentence(
        [
            MemoryFigures(
                device=device.curve.device,
                peak_bytes=int(device.curve.allocated_bytes.max()),
                reserved_bytes=_most_reserved(device),
                is_recorded=device.curve.is_recorded,
                before_bytes=_before_bytes(facts, device) if tells_before else None,
            )
            for device in devices
        ],
        in_steps=in_steps,
        steps=len(facts.steps) if facts.steps.recorded else 0,
    )


def _before_bytes(facts: Facts, device: DeviceMemory) -> int | None:
    """What of the peak was there before the window; None where that is not known."""
    curve = device.curve
    if device.blocks is None or not curve.is_recorded:
        return None
    held = sum(one.bytes for one in holders_after(facts, device, curve.peak))
    return max(int(curve.allocated_bytes[curve.peak]) - held, 0)


def _most_reserved(device: DeviceMemory) -> int | None:
    reserved = device.curve.reserved_bytes
    return None if reserved is None else int(reserved.max())


def _cells(row: MemoryRow) -> tuple[Cell, ...]:
    return (
        row.name,
        row.device,
        row.shapes or None,
        None if row.stack is None else list(row.stack),
        user_source(row.stack),
        row.calls,
        row.increase_bytes,
        row.self_increase_bytes,
        row.allocations,
        row.self_allocations,
        row.allocated_bytes,
        row.self_allocated_bytes,
        row.at_peak_bytes,
        row.kept_bytes,
    )


def peak_document(facts: Facts, device: DeviceMemory) -> Json:
    """The peak of a device and who holds it."""
    curve = device.curve
    holders = holders_after(facts, device, curve.peak)
    peak_bytes = int(curve.allocated_bytes[curve.peak])
    step = int(facts.steps.index_of(curve.time_ns[curve.peak : curve.peak + 1])[0])
    return {
        "device": curve.device,
        "events": len(curve.events),
        "is_recorded": curve.is_recorded,
        "peak_bytes": peak_bytes,
        "peak_us": us(int(curve.time_ns[curve.peak]) - facts.origin_ns),
        "peak_step": facts.steps.names[step] if facts.steps.recorded and step != NONE else None,
        "peak_reserved_bytes": _most_reserved(device),
        "before_bytes": _before_bytes(facts, device),
        "holders": [_holder(one) for one in holders[:_MOST_HOLDERS]],
        "more_holders": max(len(holders) - _MOST_HOLDERS, 0),
    }


def _holder(holder: Holder) -> Json:
    return {
        "operator": holder.operator,
        "module": holder.module,
        "source": _written(holder.source),
        "bytes": holder.bytes,
        "blocks": holder.blocks,
    }


def _written(source: Source | None) -> str | None:
    return None if source is None else f"{source.file}({source.line}): {source.function}"


def _block_rows(facts: Facts, device: DeviceMemory, *, in_steps: bool) -> list[tuple[Cell, ...]]:
    blocks, operators, trace = device.blocks, facts.once(find_operators), facts.trace
    assert blocks is not None
    step = facts.steps.index_of(device.curve.time_ns).tolist()
    names = (*(trace.names[one] for one in trace.slices.name[operators.rows].tolist()), None)
    # Without a call there is no name either: both end in what the index -1 finds.
    parents, calls = (*operators.parent.tolist(), NONE), allocating_calls(facts, device).tolist()
    times = (device.curve.time_ns - facts.origin_ns).tolist()
    rows = []
    columns = (blocks.allocated_at.tolist(), blocks.freed_at.tolist(), blocks.bytes.tolist())
    for given, back, size in zip(*columns, strict=True):
        in_step = step[back if given == NONE else given]
        if in_steps and in_step == NONE:
            continue
        call = NONE if given == NONE else calls[given]
        start, end = (None if at == NONE else times[at] for at in (given, back))
        lifetime = None if start is None or end is None else end - start
        instants = tuple(optional_us(one) for one in (start, end, lifetime))
        step_name = facts.steps.names[in_step] if facts.steps.recorded and in_step != NONE else None
        rows.append((device.curve.device, names[call], names[parents[call]], size, *instants, step_name))
    return rows
