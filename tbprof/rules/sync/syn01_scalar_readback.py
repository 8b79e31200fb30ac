"""A scalar is read back in the step.

What
    `.item()`, `float(t)`, `int(t)` or formatting a device tensor reads one number from the
    device. The host stops until everything queued before it has run, and the copy of a few
    bytes has come back.

Why
    The wait itself is not the loss: the device works meanwhile. The loss comes after it. The
    host had got ahead, now it stands where the device stands, and the device runs dry until
    new work arrives. A host that never gets ahead again shows every later delay as well.

Example
    before:
        loss.backward()
        optimizer.step()
        running += loss.item()
    after:
        loss.backward()
        optimizer.step()
        running += loss.detach()
        if step % 50 == 0:
            log(running.item() / 50)
            running.zero_()

Action
    Read this value less often, or one step late.

Fix
    Add up on the device and read rarely; where every value is needed, read it one step late
    from a pinned buffer.
    caveat: the logged value is the same; a decision taken on it comes up to 50 steps later.

Silent
    Not reported for a tensor on the host (no copy, nothing waits), for reads under `if` or `assert`
    (SYN02), inside ops whose shape depends on the data, or for more than 16 bytes (SYN04). Only `info` if
    the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.evidence import reads_scalar
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.sync.full_queue import queue_wait
from tbprof.rules.sync.words import ScalarReads

_CODE = "SYN01"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if reads_scalar(facts, site):
            figures = ScalarReads(
                bytes=int(facts.episodes.bytes[site.members].sum()),
                queue=queue_wait(facts, site),
            )
            yield site_finding(facts, index, rule=_CODE, removal="defer", figures=figures)


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("waits",), find=find, passing=sync_points, kind="scalar_read"
)
