"""Large copies run far below the speed of the same link.

What
    Copies of 1 MB and more between pinned memory and the device reach less than 40 % of what the
    fastest one of their kind reached in this window.

Why
    The link is shared or reached the long way round: other processes and workers use the memory or
    the bus, or the thread runs on a socket that the device is not attached to.

Example
    before:
        command = ["python", "train.py"]
    after:
        command = ["numactl", "--cpunodebind=0", "--membind=0", "python", "train.py"]

Action
    Bind the process to the socket of its GPU.

Fix
    Bind the process and its workers to the socket of its device (`nvidia-smi topo -m` says which), and
    see what else uses the bus in those moments.
    caveat: bound too tightly, the workers share too few cores and the loader becomes the bottleneck.

Silent
    Not reported for copies under 1 MB, whose start takes as long as their bytes, for pageable memory, whose
    speed is that of the host's own copying, or if the copies lose under 1 % of the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.copy_kinds import MEMORIES
from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding
from tbprof.rules.base.findings import transfer_finding
from tbprof.rules.base.passing import copies
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.copies.words import SlowCopies
from tbprof.trace.columns.arrays import NONE

_CODE = "CPY13"

LARGE_BYTES = 1_000_000
SLOW_SHARE = 0.4
"""Less than what one of two copies reaches that share the link fairly."""


def find(facts: Facts) -> Iterator[Finding]:
    steps_ns = facts.steps.total_ns
    for index, site in facts.indexed_sites:
        if site.direction not in ("HtoD", "DtoH") or site.memory != "pinned":
            continue
        best = _best_bytes_per_ns(facts, site)
        slow = _slow(facts, site, best)
        sizes, lasting = facts.episodes.bytes[slow], facts.transfers.device_ns[slow]
        excess = lasting - (sizes / best).astype(np.int64)
        lost = int(np.minimum(excess, facts.transfers.exposed_ns[slow]).sum())
        if len(slow) and lost >= max(MEDIUM_SHARE * steps_ns, 1):
            figures = SlowCopies(
                copies=len(slow),
                bytes=int(sizes.sum()),
                gb_per_s=round(float(sizes.sum() / lasting.sum()), 2),
                best_gb_per_s=round(best, 2),
            )
            yield transfer_finding(facts, index, rule=_CODE, ceiling_ns=lost, figures=figures)


def _best_bytes_per_ns(facts: Facts, site: SiteMembers) -> float:
    """The speed of the fastest large copy of the window with this direction from or to pinned memory."""
    episodes, device_ns = facts.episodes, facts.transfers.device_ns
    direction = int(episodes.direction[site.members[0]])
    pinned = episodes.memory == MEMORIES.index("pinned")
    alike = (episodes.direction == direction) & pinned & (episodes.bytes >= LARGE_BYTES) & (device_ns > 0)
    return float((episodes.bytes[alike] / device_ns[alike]).max(initial=1e-9))


def _slow(facts: Facts, site: SiteMembers, best: float) -> npt.NDArray[np.int64]:
    """Large episodes in a step that stay under the share of the best."""
    sizes = facts.episodes.bytes[site.members]
    lasting = facts.transfers.device_ns[site.members]
    inside = facts.episodes.step[site.members] != NONE
    is_slow = inside & (sizes >= LARGE_BYTES) & (sizes < SLOW_SHARE * best * lasting)
    chosen: npt.NDArray[np.int64] = site.members[is_slow]
    return chosen


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=copies,
    is_timed=True,
    needs=(GPU_WORK,),
    is_of_device=True,
)
