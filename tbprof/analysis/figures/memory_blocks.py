"""Every block that was allocated, and when it was given back.

What the allocators of a window were recorded to do, and in which calls of operators.

The table of allocations, a row a device and operator, as torch-tb-profiler's memory view defines it.

An event belongs to the innermost call of an operator on its thread at that moment. A call's increase is what
was allocated in it less what was given back in it, so a tensor that dies later is given back elsewhere. That
view leaves out what happened in no operator; here it is a row of its own, and rows add up to the whole.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import allocating_devices, device_name
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import outermost
from tbprof.analysis.figures.operator_grouping import code_of_calls, group_operators
from tbprof.analysis.figures.operators import find_operators
from tbprof.analysis.nesting import Nest
from tbprof.model import MemoryPeak, Source, StepIndex
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.tables import MemoryEvents, Tables

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of one device, by the time of the first event of each. Events are positions in its curve."""

    allocated_at: Int64s
    """`NONE` of a block that was there before the window."""
    freed_at: Int64s
    """`NONE` of one that nobody was seen to give back."""
    until: Int64s
    """The event from which on it is no longer there: its end, or the next block at its address."""
    bytes: Int64s

    def __len__(self) -> int:
        return len(self.bytes)

    def alive_after(self, event: int) -> npt.NDArray[np.bool_]:
        """The blocks allocated in the window that were there after this event of the curve."""
        alive: npt.NDArray[np.bool_] = (
            (self.allocated_at != NONE) & (self.allocated_at <= event) & (self.until > event)
        )
        return alive


def find_blocks(memory: MemoryEvents, curve: MemoryCurve) -> Blocks | None:
    """Pair what was allocated with what was given back by address; None where addresses are not recorded."""
    change, address = memory.bytes[curve.events], memory.address[curve.events]
    if (address == -1).any():
        return None
    order = np.argsort(address, kind="stable")
    order = order[change[order] != 0]
    gives = change[order] > 0
    same = np.append(address[order][1:] == address[order][:-1], False)[: len(order)]
    next_is_free = np.append(~gives[1:], False)[: len(order)]
    after = np.append(order[1:], NONE)[: len(order)]
    allocated = np.flatnonzero(gives)
    is_freed = (same & next_is_free)[allocated]
    is_paired_free = np.append(False, (gives & same)[:-1])[: len(order)]
    alone = np.flatnonzero(~gives & ~is_paired_free)
    found = Blocks(
        allocated_at=np.concatenate([order[allocated], np.full(len(alone), NONE, np.int64)]),
        freed_at=np.concatenate([np.where(is_freed, after[allocated], NONE), order[alone]]),
        until=np.concatenate([np.where(same[allocated], after[allocated], _NEVER), order[alone]]),
        bytes=np.concatenate([change[order[allocated]], -change[order[alone]]]),
    )
    by_time = _in_order(np.where(found.allocated_at == NONE, found.freed_at, found.allocated_at), len(change))
    return Blocks(
        found.allocated_at[by_time], found.freed_at[by_time], found.until[by_time], found.bytes[by_time]
    )


def _in_order(events: Int64s, count: int) -> Int64s:
    """The places of distinct events below `count`, in their order: faster than to sort them."""
    place = np.full(count, NONE, np.int64)
    place[events] = np.arange(len(events))
    ordered: Int64s = place[place != NONE]
    return ordered


MEMORY_TABLES: Tables = frozenset(("memory",))
"""What of a trace the curves read."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCurve:
    """The memory of one device, an entry an event, by time; events of one instant in file order."""

    device: str
    """`CPU`, `GPU 0`, ..."""
    events: Int64s
    """Index of each into the table `memory` of the trace."""
    time_ns: Int64s
    allocated_bytes: Int64s
    """Right after each event."""
    reserved_bytes: Int64s | None
    """The same of what the allocator holds of the device; None where it keeps no cache, or did not say."""
    is_recorded: bool
    """Whether the allocator said its totals; else they are the sums of the events, 0 being the lowest."""

    @property
    def peak(self) -> int:
        """Position of the event after which most was allocated, the first of several."""
        return int(self.allocated_bytes.argmax())

    def peak_ns(self, origin_ns: int) -> int:
        """When that was, from `origin_ns` on; an event with an earlier time than that is of no window."""
        return max(int(self.time_ns[self.peak]) - origin_ns, 0)


def window_curves(facts: Facts) -> tuple[MemoryCurve, ...]:
    """The curves of all devices of a window; none where no allocator was recorded."""
    memory = facts.trace.memory
    return () if memory is None else memory_curves(memory)


def memory_curves(memory: MemoryEvents) -> tuple[MemoryCurve, ...]:
    """The curves of all devices: GPUs in the order of their numbers, the CPU last."""
    kinds, numbers = memory.device_type.astype(np.int64), memory.device.astype(np.int64)
    return tuple(
        _curve(memory, device_name(kind, number), np.flatnonzero((kinds == kind) & (numbers == number)))
        for kind, number in allocating_devices(memory)
    )


def _curve(memory: MemoryEvents, device: str, events: Int64s) -> MemoryCurve:
    events = events[np.argsort(memory.time_ns[events], kind="stable")]
    allocated, reserved = memory.total_allocated_bytes[events], memory.total_reserved_bytes[events]
    is_recorded = bool((allocated >= 0).all())
    if not is_recorded:
        allocated = np.cumsum(memory.bytes[events])
        allocated = allocated - min(int(allocated.min()), 0)
    return MemoryCurve(
        device=device,
        events=events,
        time_ns=memory.time_ns[events],
        allocated_bytes=allocated,
        reserved_bytes=reserved if (reserved >= 0).all() and reserved.any() else None,
        is_recorded=is_recorded,
    )


@dataclass(frozen=True, slots=True)
class Holder:
    """Blocks that were allocated in one place of the program."""

    operator: str | None
    """The outermost one, such as what the user called; None of what no operator allocated."""
    module: str | None
    """The module of the forward operator for what autograd runs; None in no module."""
    source: Source | None
    bytes: int
    blocks: int


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Places of the program from which operators are called."""

    code: Int64s
    """An index into the places for each call of an operator; the last place is that of no operator."""
    places: tuple[tuple[str | None, str | None, Source | None], ...]
    """Operator, module and source."""


def owners_of_calls(facts: Facts) -> Owners:
    """The owners of all calls of the window."""
    trace, operators = facts.trace, facts.once(find_operators)
    nowhere = (None, None, None)
    if len(operators) == 0:
        return Owners(np.zeros(0, np.int64), (nowhere,))
    top = outermost(operators.parent, np.ones(len(operators), np.bool_))
    name = trace.slices.name[operators.rows[top]].astype(np.int64)
    modules = group_operators(facts, operators, "module")
    at, sources = code_of_calls(facts, operators, np.arange(len(operators)), operators.rows)
    # As one number a call: numpy looks for distinct rows a hundred times slower.
    key = (name * len(modules.names) + modules.code) * (len(sources) + 1) + at + 1
    keys = distinct(key)
    places = tuple(
        (trace.names[one], modules.names[module] or None, sources[source - 1] if source else None)
        for first, source in (divmod(key, len(sources) + 1) for key in keys.tolist())
        for one, module in [divmod(first, len(modules.names))]
    )
    return Owners(np.searchsorted(keys, key), (*places, nowhere))


def holders_after(facts: Facts, device: DeviceMemory, event: int) -> tuple[Holder, ...]:
    """What the window saw allocated and was there after an event of the curve, the largest holder first.

    Empty where addresses are not recorded.
    """
    blocks, owners = device.blocks, facts.once(owners_of_calls)
    if blocks is None:
        return ()
    alive = blocks.alive_after(event)
    call = allocating_calls(facts, device)[blocks.allocated_at[alive]]
    none = len(owners.places) - 1
    code = np.where(call == NONE, none, owners.code[np.maximum(call, 0)] if len(owners.code) else none)
    held = np.zeros(none + 1, np.int64)
    np.add.at(held, code, blocks.bytes[alive])
    count = np.bincount(code, minlength=none + 1)
    order = np.argsort(-held, kind="stable")
    return tuple(
        Holder(operator, module, source, int(held[at]), int(count[at]))
        for at in order.tolist()
        for operator, module, source in [owners.places[at]]
        if count[at]
    )


def memory_peaks(facts: Facts) -> tuple[MemoryPeak, ...]:
    """GPUs in the order of their numbers, the CPU last; empty where no allocator was recorded."""
    return tuple(memory_peak(facts, curve) for curve in facts.once(window_curves))


def memory_peak(facts: Facts, curve: MemoryCurve) -> MemoryPeak:
    """The peak of one device."""
    step = int(facts.steps.index_of(curve.time_ns[curve.peak : curve.peak + 1])[0])
    return MemoryPeak(
        device=curve.device,
        events=len(curve.events),
        peak_bytes=int(curve.allocated_bytes[curve.peak]),
        peak_ns=curve.peak_ns(facts.origin_ns),
        step=StepIndex(step) if facts.steps.recorded and step != NONE else None,
        reserved_bytes=None if curve.reserved_bytes is None else int(curve.reserved_bytes.max()),
        is_recorded=curve.is_recorded,
    )


MOST_VALUES = 2_000
"""About one a pixel of a wide screen."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCurve:
    """Each value holds from its instant to the next one, in ns."""

    at_ns: Int64s
    low_bytes: Int64s
    high_bytes: Int64s
    """The highest of the events that lie too close to be told apart; equal to the lowest where none do."""
    reserved_bytes: Int64s | None
    """The highest of these."""


def drawn_curve(curve: MemoryCurve, from_ns: int, to_ns: int) -> DrawnCurve:
    """The curve from what was there at `from_ns` to the last event up to `to_ns`; before the first as after
    it.
    """
    first, last = np.searchsorted(curve.time_ns, [from_ns, to_ns], side="right").tolist()
    if last - first <= MOST_VALUES:
        # The event before the part says what was there as it began.
        shown = np.arange(max(first - 1, 0), max(last, 1))
        at_ns = np.maximum(curve.time_ns[shown], from_ns)
        at_ns[0] = from_ns
        values = curve.allocated_bytes[shown]
        reserved = None if curve.reserved_bytes is None else curve.reserved_bytes[shown]
        return DrawnCurve(at_ns, values, values, reserved)
    edges = np.linspace(from_ns, to_ns, MOST_VALUES + 1).astype(np.int64)[:-1]
    begins = np.clip(np.searchsorted(curve.time_ns, edges, side="right") - 1, 0, len(curve.time_ns) - 1)
    # A bucket begins with the event before it; one that has no event of its own is that event alone.
    ends = np.append(begins[1:] + 1, last)
    bounds = np.stack([begins, np.maximum(ends, begins + 1)], axis=1).reshape(-1)
    return DrawnCurve(
        at_ns=edges,
        low_bytes=_reduced(np.minimum, curve.allocated_bytes, bounds),
        high_bytes=_reduced(np.maximum, curve.allocated_bytes, bounds),
        reserved_bytes=None
        if curve.reserved_bytes is None
        else _reduced(np.maximum, curve.reserved_bytes, bounds),
    )


def _reduced(reduce: np.ufunc, values: Int64s, bounds: Int64s) -> Int64s:
    """Over each pair of bounds; the last bound may be the end of the values."""
    found: Int64s = reduce.reduceat(np.append(values, values[-1]), bounds)[::2]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class DeviceMemory:
    curve: MemoryCurve
    blocks: Blocks | None
    """None where addresses are not recorded."""


def window_memory(facts: Facts) -> tuple[DeviceMemory, ...]:
    """The memory of each device, GPUs first; none where no allocator was recorded. `facts` with
    `MEMORY_TABLES`.
    """
    memory = facts.trace.memory
    if memory is None or len(memory) == 0:
        return ()
    return tuple(DeviceMemory(curve, find_blocks(memory, curve)) for curve in facts.once(window_curves))


def change_bytes(facts: Facts, device: DeviceMemory) -> Int64s:
    """The change of each event of a device's curve, below 0 where memory was given back."""
    memory = facts.trace.memory
    changed: Int64s = np.empty(0, np.int64) if memory is None else memory.bytes[device.curve.events]
    return changed


def allocating_calls(facts: Facts, device: DeviceMemory) -> Int64s:
    """The innermost call of `find_operators` around each event of a device's curve, or `NONE`."""
    calls: Int64s = facts.once(_calls)[device.curve.events]
    return calls


def _calls(facts: Facts) -> Int64s:
    """The call around each event of the memory."""
    operators, memory = facts.once(find_operators), facts.trace.memory
    if memory is None:
        return np.empty(0, np.int64)
    nest = Nest.of(facts.trace.slices, operators.rows)
    at = nest.innermost(memory.lane.astype(np.int64), memory.time_ns, memory.time_ns + 1)
    position = np.argsort(operators.rows, kind="stable")
    found = np.full(len(at), NONE, np.int64)
    known = at != NONE
    found[known] = position[np.searchsorted(operators.rows[position], nest.rows[at[known]])]
    return found
