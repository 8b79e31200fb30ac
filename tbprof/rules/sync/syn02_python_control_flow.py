"""Python branches on a value that is on the device.

What
    `if t:`, `while t:`, `assert t`, `any()` and `all()` of Python, and `torch.equal` ask a device
    tensor for its truth. The host stops until the device has computed it.

Why
    As with any read, the host loses its lead and the device runs dry after it. A branch on data
    also breaks a compiled graph and rules out CUDA graphs for the step.

Example
    before:
        assert (labels < classes).all()
        if torch.isnan(loss):
            loss = torch.zeros_like(loss)
    after:
        torch._assert_async((labels < classes).all())
        loss = torch.where(torch.isnan(loss), torch.zeros_like(loss), loss)

Action
    Decide on the GPU instead of in Python.

Fix
    Choose on the device with `torch.where`, check with `torch._assert_async`, or move the check to
    where the data is still on the host.
    caveat: `_assert_async` fails later than the line that found it, and ends the CUDA context.

Silent
    Not reported for a tensor on the host, or if the test runs inside a compiled region on its own. Only
    `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.optable import TRUTH_READERS
from tbprof.rules.base.evidence import is_read
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.words import NoFigures

_CODE = "SYN02"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if is_read(site) and not TRUTH_READERS.isdisjoint(site.ops):
            yield site_finding(facts, index, rule=_CODE, removal="rewrite", figures=NoFigures())


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("waits",), find=find, passing=sync_points, kind="control_flow"
)
