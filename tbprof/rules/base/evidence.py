"""Where to look for what a finding says: instants and rows of the trace, longest first.

Of equally long ones the earlier comes first, whatever the order of the file. A finding shows a few of them
and names all their steps: records are made of the longest, and of the longest of each step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals
from tbprof.line_rules import SCALAR_BYTES, STAGED_BYTES
from tbprof.model import Evidence
from tbprof.optable import SHAPE_READERS, TRUTH_READERS
from tbprof.trace.columns.arrays import NONE, distinct

MAX_EVIDENCE = 3
"""The most evidence that a finding shows."""


def idle_evidence(facts: Facts, idle: Intervals) -> tuple[Evidence, ...]:
    """Pieces of idle, longest first, each with the row of the device work that ended it."""
    length = idle.end_ns - idle.start_ns
    order = np.lexsort((idle.start_ns, -length))
    start = idle.start_ns[order]
    ended_by = np.searchsorted(facts.work.start_ns, idle.end_ns[order], side="left")
    rows = facts.work.rows[np.minimum(ended_by, len(facts.work.rows) - 1)]
    return _evidence(facts, "idle", start, length[order], rows)


def row_evidence(facts: Facts, kind: str, rows: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    """Rows of the trace, longest first."""
    slices = facts.trace.slices
    rows = rows[np.lexsort((slices.start_ns[rows], -slices.duration_ns[rows]))]
    return _evidence(facts, kind, slices.start_ns[rows], slices.duration_ns[rows], rows)


def wait_evidence(facts: Facts, members: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    """Episodes, each with its whole wait and the row of its first call."""
    episodes = facts.episodes
    longest = members[np.lexsort((episodes.start_ns[members], -episodes.wait_ns[members]))]
    rows = facts.calls.rows[episodes.first[longest]]
    return _evidence(facts, "wait", episodes.start_ns[longest], episodes.wait_ns[longest], rows)


def _evidence(
    facts: Facts,
    kind: str,
    start_ns: npt.NDArray[np.int64],
    duration_ns: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
) -> tuple[Evidence, ...]:
    steps = facts.steps.index_of(start_ns)
    _, longest_of_step = np.unique(steps, return_index=True)
    kept = distinct(np.concatenate([np.arange(min(MAX_EVIDENCE, len(rows))), longest_of_step]))
    columns = (start_ns - facts.origin_ns, duration_ns, steps, rows)
    return tuple(
        Evidence(kind, start, duration, None if step == NONE else step, row)
        for start, duration, step, row in zip(*(column[kept].tolist() for column in columns), strict=True)
    )


_READ = "aten::_local_scalar_dense"


def is_read(site: SiteMembers) -> bool:
    """Whether it waits for what it copies to the host."""
    return site.blocking and site.direction == "DtoH"


def reads_number(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for one number or truth value, which no op asks for to know its shape."""
    has_read = is_read(site) and _READ in site.ops and SHAPE_READERS.isdisjoint(site.ops)
    return has_read and int(facts.episodes.bytes[site.members].max()) <= SCALAR_BYTES


def reads_scalar(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for one number, and for no truth value."""
    return reads_number(facts, site) and TRUTH_READERS.isdisjoint(site.ops)


def uploads_data(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for an upload of some size, which from pinned memory need not wait.

    A small one is often made of what the host has just read, and can't go before that is there.
    """
    is_upload = site.blocking and site.direction == "HtoD"
    return is_upload and int(facts.episodes.bytes[site.members].max()) > STAGED_BYTES


def can_be_deferred(site: SiteMembers) -> bool:
    """Whether its wait can go with nothing in its place.

    So can that of a read on which no shape or branch depends, and of a bare synchronize.
    """
    is_bare = not site.ops and site.direction == ""
    return is_bare or (is_read(site) and (SHAPE_READERS | TRUTH_READERS).isdisjoint(site.ops))
