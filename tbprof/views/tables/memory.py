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
from tbprof.records import dataclass
from tbprof.texts.memory import MemoryFigures, memory_sentence
from tbprof.texts.tables import OF_SHAPES, OF_SOURCE
from tbprof.trace.columns.arrays import NONE
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Column, Json, Table, cells_of
from tbprof.views.tables.operators import WHERE_MISSING, user_source

_MOST_HOLDERS = 20

_COLUMNS: tuple[Column[MemoryRow], ...] = (
    Column("name", lambda row: row.name, head="name", is_first=True),
    Column("device", lambda row: row.device, head="device", is_first=True),
    Column("shapes", lambda row: row.shapes or None, head="shapes", about=OF_SHAPES, is_first=True),
    # The details of a row have it: of many rows it would be most of what is sent.
    Column("stack", lambda row: None if row.stack is None else list(row.stack), is_in_tab=False),
    Column(
        "source",
        lambda row: user_source(row.stack),
        head="in",
        title="Called in",
        about=OF_SOURCE,
        is_first=True,
    ),
    Column("calls", lambda row: row.calls, "count", head="calls", is_first=True),
    Column(
        "increase_bytes",
        lambda row: row.increase_bytes,
        "bytes",
        head="increase",
        about="what it allocated less what it gave back, with operators inside",
        is_first=True,
    ),
    Column(
        "self_increase_bytes",
        lambda row: row.self_increase_bytes,
        "bytes",
        head="self",
        title="Self increase",
        about="the same without the operators inside",
    ),
    Column(
        "allocations",
        lambda row: row.allocations,
        "count",
        head="allocations",
        title="All blocks",
        about="that it allocated, or operators inside it",
    ),
    Column(
        "self_allocations",
        lambda row: row.self_allocations,
        "count",
        head="self",
        title="Blocks",
        about="that it allocated itself",
        is_first=True,
    ),
    Column(
        "allocated_bytes",
        lambda row: row.allocated_bytes,
        "bytes",
        head="allocated",
        about="with the operators inside, whenever it was given back",
    ),
    Column(
        "self_allocated_bytes",
        lambda row: row.self_allocated_bytes,
        "bytes",
        head="self",
        title="Self allocated",
        about="without the operators inside, whenever it was given back",
        is_first=True,
    ),
    Column(
        "at_peak_bytes",
        lambda row: row.at_peak_bytes,
        "bytes",
        head="at peak",
        title="At the peak",
        about="what it allocated itself and was there at the device's peak",
        is_first=True,
    ),
    Column(
        "kept_bytes",
        lambda row: row.kept_bytes,
        "bytes",
        head="kept",
        about="what it allocated itself and was there at the end",
    ),
)


@dataclass(frozen=True, slots=True)
class _Block:
    device: str
    name: str | None
    """The name of the operator that allocated it."""
    inside: str | None
    bytes: int
    start_ns: int | None
    """Since the first event, as the one below; None of what happened outside of the window."""
    end_ns: int | None
    step: str | None

    @property
    def lifetime_ns(self) -> int | None:
        return None if self.start_ns is None or self.end_ns is None else self.end_ns - self.start_ns


_BLOCK_COLUMNS: tuple[Column[_Block], ...] = (
    Column("device", lambda row: row.device, head="device"),
    Column("name", lambda row: row.name, head="name"),
    Column("inside", lambda row: row.inside, head="inside"),
    Column("bytes", lambda row: row.bytes, "bytes", head="size"),
    Column("allocated_us", lambda row: optional_us(row.start_ns), "us", head="allocated"),
    Column("freed_us", lambda row: optional_us(row.end_ns), "us", head="freed"),
    Column("lifetime_us", lambda row: optional_us(row.lifetime_ns), "us", head="lifetime"),
    Column("step", lambda row: row.step, head="step"),
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
        rows=cells_of(_COLUMNS, rows),
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
    rows = [row for device in devices for row in _blocks(facts, device, in_steps=in_steps)]
    rows.sort(key=lambda row: (row.device == "CPU", row.device, -row.bytes))
    return Table(
        name="allocations",
        by=by,
        sentence=_sentence(facts, devices, in_steps=in_steps),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_BLOCK_COLUMNS,
        rows=cells_of(_BLOCK_COLUMNS, rows),
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


def _blocks(facts: Facts, device: DeviceMemory, *, in_steps: bool) -> list[_Block]:
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
        step_name = facts.steps.names[in_step] if facts.steps.recorded and in_step != NONE else None
        rows.append(
            _Block(device.curve.device, names[call], names[parents[call]], size, start, end, step_name)
        )
    return rows
