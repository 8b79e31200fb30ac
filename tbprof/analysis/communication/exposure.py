"""How much of each collective has no computing beside it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, overlap_ns
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.trace.columns.arrays import Int64s


def exposed_ns(work: DeviceWork, at: Int64s, exposed: Mapping[int, Intervals]) -> Int64s:
    """Of each communication row; together they are all of `exposed`.

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
