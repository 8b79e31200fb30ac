"""How much of each collective has no computing beside it.

What a device did at each moment: computing, exposed communication, copying, or nothing.

A moment is computing if a row runs that is neither communication nor a copy; else exposed
communication if communication runs; else copying. With the idle the parts add up to the steps.
Communication beside computing is overlapped; what that costs the computing nobody has measured.

How much of a collective's time can't be transfer, by its size alone.

Which rank is late only all ranks together tell. But 24 kB in 2 ms are no transfer on any link that ranks are
joined by: at the least the rest is waiting for another rank, or for its turn on the link. Of kinds that ranks
leave one by one nobody knows which of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.collectives import Collectives, is_communication
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, subtract
from tbprof.model import CollectiveKey
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category, Trace


def exposed_ns(work: DeviceWork, at: Int64s, exposed: Mapping[int, Intervals]) -> Int64s:
    """The exposed part of each communication row; together they are all of `exposed`.

    Args:
        work: All device work.
        at: Positions of the communication rows in it, ascending.
        exposed: By device, the exposed communication that counts.
    """
    spent = np.zeros(len(at), np.int64)
    for device, pieces in exposed.items():
        mine = np.flatnonzero(work.device[at] == device)
        spent[mine] = overlap_ns(pieces, *own_pieces(work.start_ns[at[mine]], work.end_ns[at[mine]]))
    return spent


def own_pieces(start_ns: Int64s, end_ns: Int64s) -> tuple[Int64s, Int64s]:
    """Rows in order of their start, each without what an earlier one covers: they no longer overlap."""
    reached = np.maximum.accumulate(end_ns)
    begin = np.maximum(start_ns, np.concatenate([start_ns[:1], reached[:-1]]))
    return begin, np.maximum(end_ns, begin)


@dataclass(frozen=True, eq=False)
class DeviceParts:
    """Each part by device; `..._ns` of each span, summed over the devices."""

    trace: Trace
    work: DeviceWork

    @cached_property
    def is_communication(self) -> npt.NDArray[np.bool_]:
        """One entry a row of `work`."""
        return is_communication(self.trace, self.work)

    @cached_property
    def computing(self) -> dict[int, Intervals]:
        is_copy = self.trace.slices.category[self.work.rows] == Category.MEMCPY
        return self._of(~is_copy & ~self.is_communication)

    @cached_property
    def communication(self) -> dict[int, Intervals]:
        """Exposed and overlapped."""
        return self._of(self.is_communication)

    @cached_property
    def communication_exposed(self) -> dict[int, Intervals]:
        return {device: subtract(rows, self.computing[device]) for device, rows in self.communication.items()}

    @cached_property
    def communication_overlapped(self) -> dict[int, Intervals]:
        """Not a part: it is computing, with communication beside it."""
        return {
            device: intersect(rows, self.computing[device]) for device, rows in self.communication.items()
        }

    @cached_property
    def copying(self) -> dict[int, Intervals]:
        return {
            device: subtract(subtract(busy, self.computing[device]), self.communication[device])
            for device, busy in self.work.busy.items()
        }

    def computing_ns(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        return _overlap_ns(self.computing, start_ns, end_ns)

    def communication_exposed_ns(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        return _overlap_ns(self.communication_exposed, start_ns, end_ns)

    def copying_ns(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        return _overlap_ns(self.copying, start_ns, end_ns)

    def _of(self, chosen: npt.NDArray[np.bool_]) -> dict[int, Intervals]:
        work = self.work
        return {device: work.busy_of(chosen & (work.device == device)) for device in work.devices}


def _overlap_ns(by_device: dict[int, Intervals], start_ns: Int64s, end_ns: Int64s) -> Int64s:
    spent = np.zeros(len(start_ns), np.int64)
    for pieces in by_device.values():
        spent += overlap_ns(pieces, start_ns, end_ns)
    return spent


SLOWEST_LINK_BYTES_PER_NS = 1.0
"""A 10 Gbit Ethernet carries 1.25 GB/s; with less nobody trains on several machines."""

START_NS = 200_000
"""What a collective of many ranks takes before its data flow: measured ones of small messages end within
30 to 60 us, over Ethernet within some hundred."""

_MOST_TRIPS = 2
"""An all_reduce sends each byte up to twice over a link, and no other kind more."""


def no_transfer_ns(work: DeviceWork, found: Collectives) -> Int64s:
    """The least time that each collective did not transfer; 0 where its size was not recorded."""
    at_most = np.array([_at_most_ns(key) for key in found.keys], np.int64)
    length = (work.end_ns - work.start_ns)[found.at]
    if len(length) == 0:
        return length
    transfer = at_most[found.key]
    return np.where(transfer < 0, 0, np.maximum(length - transfer, 0))


def _at_most_ns(key: CollectiveKey) -> int:
    """What its transfer takes at the most; -1 where nobody knows."""
    sizes = [size for size in (key.bytes_in, key.bytes_out) if size is not None]
    if not sizes:
        return -1
    return START_NS + int(_MOST_TRIPS * max(sizes) / SLOWEST_LINK_BYTES_PER_NS)
