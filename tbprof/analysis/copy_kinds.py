"""Direction and memory of a copy, from its call and from its device row.

On ROCm the call's `kind` decides (1 HtoD, 2 DtoH, 3 DtoD): its device rows call a copy to or
from pinned host memory "DtoD", and say nothing of the memory. Elsewhere the row's name does:
`Memcpy HtoD (Pageable -> Device)`.
"""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.device_work import DeviceWork
from tbprof.trace.columns.arrays import Int64s, distinct
from tbprof.trace.columns.columns import Trace

DIRECTIONS = ("", "HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA")
"""CUPTI's names; the first one is "not known". The order of 1 to 3 is that of `kind`."""

MEMORIES = ("", "pageable", "pinned")

NO_KIND = 0

_NAME = re.compile(r"Memcpy (\w+)")


def copy_kinds(trace: Trace, work: DeviceWork, call_rows: Int64s, record: Int64s) -> tuple[Int64s, Int64s]:
    """Indices into `DIRECTIONS` and `MEMORIES`; both 0 for a call without a device row.

    Args:
        trace: The trace.
        work: Its device rows.
        call_rows: Rows of the calls.
        record: For each call its position in `work`, negative for none.
    """
    if len(work.rows) == 0:
        nothing = np.zeros(len(call_rows), np.int64)
        return nothing, nothing
    name = trace.slices.name[work.rows[record]]
    by_name = np.zeros((len(trace.names), 2), np.int64)
    for i in distinct(name[record >= 0]).tolist():
        by_name[i] = _from_name(trace.names[i])
    kind = trace.copy_kind.at(call_rows)
    direction = np.where((kind >= 1) & (kind <= 3), kind, by_name[name, 0])
    return np.where(record >= 0, direction, 0), np.where(record >= 0, by_name[name, 1], 0)


def _from_name(name: str) -> tuple[int, int]:
    found = _NAME.match(name)
    direction = found.group(1) if found else ""
    of = name.lower()
    memory = "pageable" if "pageable" in of else "pinned" if "pinned" in of else ""
    known = DIRECTIONS.index(direction) if direction in DIRECTIONS else NO_KIND
    return known, MEMORIES.index(memory)
