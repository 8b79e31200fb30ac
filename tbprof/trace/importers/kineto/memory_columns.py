"""What is no complete event but kept: allocations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tbprof.trace.columns.arrays import Int32s, Int64s
from tbprof.trace.columns.tables import MemoryEvents
from tbprof.trace.importers.kineto.events.event_args import InstantArgs, Scalar
from tbprof.trace.importers.kineto.events.events import Instant
from tbprof.trace.importers.kineto.growing import GrowingArray
from tbprof.trace.importers.kineto.sparse import numbers_of

_NO_ARGS = InstantArgs()
_LARGEST = 2.0**53
_Read: TypeAlias = "Callable[[Sequence[InstantArgs]], list[Scalar]]"
_WIDE: Mapping[str, _Read] = {
    "bytes": lambda args: [one.bytes for one in args],
    "total_allocated_bytes": lambda args: [one.total_allocated_bytes for one in args],
    "total_reserved_bytes": lambda args: [one.total_reserved_bytes for one in args],
    "address": lambda args: [one.address for one in args],
}
_NARROW: Mapping[str, _Read] = {
    "device_type": lambda args: [one.device_type for one in args],
    "device": lambda args: [one.device for one in args],
}


class MemoryColumns:
    """The memory events while they are read."""

    def __init__(self) -> None:
        self._time_ns = GrowingArray(np.int64)
        self._lane = GrowingArray(np.int32)
        self._wide = {field: GrowingArray(np.int64) for field in _WIDE}
        self._narrow = {field: GrowingArray(np.int8) for field in _NARROW}

    def add(self, events: Sequence[Instant[Any]], time_ns: Int64s, lane: Int32s) -> None:
        """Append a batch, with the time and the lane of each."""
        self._time_ns.extend(time_ns)
        self._lane.extend(lane)
        args = [_NO_ARGS if event.args is None else event.args for event in events]
        for field, wide in self._wide.items():
            values = numbers_of(_WIDE[field](args))
            wide.extend(np.where(np.abs(values) < _LARGEST, values, -1))
        for field, narrow in self._narrow.items():
            values = numbers_of(_NARROW[field](args))
            narrow.extend(np.where(np.abs(values) < np.iinfo(np.int8).max, values, -1))

    def take(self) -> MemoryEvents:
        """All of them, to be asked for once."""
        return MemoryEvents(
            time_ns=self._time_ns.take(),
            lane=self._lane.take(),
            bytes=self._wide["bytes"].take(),
            total_allocated_bytes=self._wide["total_allocated_bytes"].take(),
            total_reserved_bytes=self._wide["total_reserved_bytes"].take(),
            device_type=self._narrow["device_type"].take(),
            device=self._narrow["device"].take(),
            address=self._wide["address"].take(),
        )
