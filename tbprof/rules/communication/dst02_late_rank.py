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
    Not reported for a single rank, if collectives cannot be matched, or if a rank is late by less than 1 %
    of a step. A rank whose collective is shorter than the next shortest by less than 2 % or 5 us does not
    count as late.
"""

from __future__ import annotations

from tbprof.model import MEDIUM_SHARE, Severity, severity_of_share

CODE = "DST02"

RULE = None
"""No trace of one rank can show it: it is found in the reports of all."""


def severity_of(late_us: float, saved_us: float | None, step_us: float) -> Severity | None:
    """How bad a late rank is, of a mean step of the job; None where it is not worth a finding.

    Args:
        late_us: How long the others wait for it.
        saved_us: What the replay without its lateness saves; None where there is no replay. Then the
            lateness is a ceiling, and at most medium.
        step_us: How long a step takes; 0 where that is not known.
    """
    if not step_us or late_us < MEDIUM_SHARE * step_us:
        return None
    if saved_us is not None:
        return severity_of_share(saved_us / step_us)
    found = severity_of_share(late_us / step_us)
    return "medium" if found in ("critical", "high") else found
