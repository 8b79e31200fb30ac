"""Which device rows take turns: they share an engine that ran one of them at a time.

Kernels of several streams take turns, in the order in which they were recorded, if none of them ever
ran at once, and one of them was seen to have to: it could have run, and began only when the kernel of
another stream had ended. A host that waits keeps streams apart by itself, which says nothing of
what they would do together. A kernel with fewer blocks than the device has processors leaves room
for others, and communication always does: it is made to run beside computing. Copies of one
direction share an engine, and take turns if none of them ever overlapped.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import match
from tbprof.analysis.communication.rows import is_communication
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Trace

_ANY_ENGINE = -1
_CORES = 0

_CLOCK_STEP_NS = 1_000
"""Before 2024 times are whole us: two rows may seem to overlap by one."""

_HELD_UP_NS = 10_000
"""A row that could have run this long before it did was held up, and not just launched late."""


def find_turns(trace: Trace, order: StreamOrder, runnable_ns: Int64s) -> Int64s:
    """For each row the one of another stream that its engine ran before it, if they take turns.

    With a row beside the training it may meet at another time, or not at all.

    Args:
        trace: Of the window.
        order: Of its device rows.
        runnable_ns: When each of them could have run, had its device had nothing else to do.
    """
    work = order.work
    turns = np.full(len(work.rows), NONE, np.int64)
    engine, fills = _engines(trace, work), _fill_the_device(trace, work)
    for device, kind in itertools.product(work.devices, distinct(engine).tolist()):
        rows = np.flatnonzero((work.device == device) & (engine == kind))
        earlier, later = rows[:-1], rows[1:]
        reach = np.maximum.accumulate(work.end_ns[earlier])
        if kind == _ANY_ENGINE or (reach > work.start_ns[later] + _CLOCK_STEP_NS).any():
            continue
        other = work.stream[earlier] != work.stream[later]
        had_to = other & (runnable_ns[later] + _HELD_UP_NS <= work.end_ns[earlier])
        if kind == _CORES and not had_to.any():
            continue
        given_first = work.launch_start_ns[earlier] <= work.launch_start_ns[later]
        takes_turn = other & given_first & fills[earlier] & ~order.is_beside[earlier]
        turns[later] = np.where(takes_turn, earlier, NONE)
    return turns


def _engines(trace: Trace, work: DeviceWork) -> Int64s:
    """What runs each row: the cores, one of the two copy engines, or any that is free."""
    computes = work.is_kernel & ~is_communication(trace, work)
    engine = np.where(computes, _CORES, _ANY_ENGINE)
    for number, pattern in enumerate((r"Memcpy HtoD", r"Memcpy DtoH"), start=1):
        engine[match(trace, work.rows, pattern)] = number
    return engine


def _fill_the_device(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """Whether each row has a block for every processor; so has one that does not say."""
    blocks = trace.blocks_per_sm.at(work.rows)
    leaves_room: npt.NDArray[np.bool_] = (blocks >= 0) & (blocks < 1)
    return ~leaves_room
