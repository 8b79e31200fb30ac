"""Every block that was allocated, and when it was given back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.memory.curves import MemoryCurve
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.tables import MemoryEvents

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Of one device, by the time of what is known of each first. Events are positions in its curve."""

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
        """Which of those that the window saw allocated were there after this event of the curve."""
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
