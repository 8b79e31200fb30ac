"""Files that hold the events of several processes: the steps and calls of all would be taken for one's."""

from __future__ import annotations

import numpy as np

from tbprof.errors import NotATrace
from tbprof.trace.columns.arrays import Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import GPU_WORK, STEP_PREFIX
from tbprof.trace.importers.kineto.lost_work import ANY_LAUNCH, LAUNCH
from tbprof.trace.importers.kineto.rows import Rows

_FEWEST_SHARED = 4
"""Numbers of calls that two processes have in common; each counts its own from 1 on."""


def check_processes(path: str, rows: Rows) -> None:
    """Refuse what was put into one file, or written into it at once.

    Raises:
        NotATrace: The message says how many processes there are, and what to do.
    """
    category, name = rows.slices.category, rows.slices.name
    is_step = np.array([name.startswith(STEP_PREFIX) for name in rows.names], bool)
    is_launch = np.array([ANY_LAUNCH.match(name) is not None for name in rows.names], bool)
    marks = is_step[name] & (category == Category.USER_ANNOTATION)
    launches = is_launch[name] & (category == Category.RUNTIME)
    for what, chosen in (("steps", marks), ("launches", launches)):
        found = {rows.places[lane][0] for lane in distinct(rows.slices.lane[chosen]).tolist()}
        if len(found) > 1:
            held = f"holds the {what} of {len(found)} processes, as of ranks that were put into one file"
            raise NotATrace(f"{path} {held}: read the file of each by itself.")
    shared = _shared_numbers(rows)
    if shared >= _FEWEST_SHARED:
        held = f"holds {shared:,} numbers of launches twice, as where two processes wrote into it at once"
        raise NotATrace(
            f"{path} {held}: nothing of it can be trusted. Record again, with a file of its own for each "
            "rank, as `tensorboard_trace_handler(folder, worker_name=...)` makes them."
        )


def _shared_numbers(rows: Rows) -> int:
    """How many correlations belong to several launches of one kernel each, and to several such kernels.

    A row that is in the file twice is one.
    """
    slices = rows.slices
    is_launch = np.array([LAUNCH.match(name) is not None for name in rows.names], bool)
    calls = np.flatnonzero(is_launch[slices.name] & (slices.category == Category.RUNTIME))
    twice = _repeated(slices.correlation[calls].astype(np.int64))
    if len(twice) < _FEWEST_SHARED:
        return 0
    work = np.flatnonzero(is_among(slices.category, GPU_WORK) & is_among(slices.correlation, twice))
    what = np.stack([slices.correlation[work], slices.start_ns[work], rows.args["device"].at(work)], axis=1)
    return len(_repeated(np.unique(what, axis=0)[:, 0]))


def _repeated(numbers: Int64s) -> Int64s:
    """The numbers above 0 that are there more than once, ascending."""
    ordered = np.sort(numbers[numbers > 0], kind="stable")
    return distinct(ordered[1:][ordered[1:] == ordered[:-1]])
