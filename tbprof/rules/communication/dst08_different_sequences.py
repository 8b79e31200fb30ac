"""Ranks of a group do different collectives in the same place.

What
    All ranks of a group do equally many collectives, but somewhere in the window their kinds or sizes differ.
    Only the recordings of several ranks tell that: the page Job and `tbprof job` find it.

Why
    Ranks that wait in different collectives of one group wait forever: the job hangs, or, where sizes alone
    differ, gets wrong numbers. That it did not hang yet may be luck of the order in which streams ran.

Example
    before:
        if loss.item() > limit:
            dist.all_reduce(statistics)
        dist.broadcast(weights, src=0)
    after:
        dist.all_reduce(statistics)
        dist.broadcast(weights, src=0)

Action
    Let all ranks call the same collectives in the same order.

Fix
    Take collectives out of branches that ranks decide for themselves, or decide together: exchange the
    condition first. `TORCH_DISTRIBUTED_DEBUG=DETAIL` checks each call, and `TORCH_NCCL_TRACE_BUFFER_SIZE`
    keeps what each rank called last.
    caveat: sends and receives between pairs of ranks differ rightly; they belong to groups of two.

Silent
    Not reported for a single rank, for groups with a missing rank, or if windows begin at different
    collectives.
"""

from __future__ import annotations

from tbprof.model import Severity

CODE = "DST08"
SEVERITY: Severity = "critical"
"""A job whose ranks wait in different collectives may hang."""

RULE = None
"""No trace of one rank can show it: it is found in the reports of all."""
