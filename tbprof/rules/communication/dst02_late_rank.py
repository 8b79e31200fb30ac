"""The other ranks of the job wait for one that comes late.

What
    In the collectives of a step one rank arrives after the others, which stand in the collective until it is
    there. Only the recordings of several ranks tell that: the page Job and `tbprof job` find it.

Why
    A step of the job takes as long as its slowest rank. What the others do faster they lose in waiting, and
    on their own traces it looks like slow communication.

Example
    before:
        loss.backward()
        if rank == 0:
            writer.add_scalar("loss", loss.item(), step)
        optimizer.step()
    after:
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 100 == 0:
            writer.add_scalar("loss", loss.item(), step)

Action
    Take away what makes this rank late.

Fix
    Follow the cause that stands beside it: what the rank does between two collectives longer than the median
    of the others. Idle has a line, computing an op; the same computing in longer kernels is a slow device.
    Where ranks are late in turn, look for what happens on one rank at a time: logging, checkpoints, garbage
    collection, a loader without reserve.
    caveat: without it the next one is the last to arrive; what then remains is in the bracket.

Silent
    On one rank alone, where collectives can't be matched, and where a rank is late by less than 1 % of a
    step.
    A rank that is shorter than the next by less than 2 % or 5 us is not late.
"""

from __future__ import annotations

RULE = None
"""No trace of one rank can show it: the job's page finds it, from the reports of all."""
