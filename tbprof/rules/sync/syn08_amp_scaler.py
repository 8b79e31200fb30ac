"""The gradient scaler reads whether a gradient overflowed.

What
    `GradScaler.step` reads a flag from the device, once an optimizer and step, to know whether it
    has to skip the step.

Why
    The flag is there only when the whole backward pass has run. The host stands still until then,
    and the device runs dry before the optimizer's first kernel.

Example
    before:
        optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        scaler.step(optimizer)
        scaler.update()
    after:
        optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)
        scaler.step(optimizer)
        scaler.update()

Action
    Use a fused optimizer, or train in bfloat16.

Fix
    A fused Adam, AdamW, SGD or Adagrad looks at the flag on the device; training in
    bfloat16 needs no scaler at all.
    caveat: `fused=True` needs all parameters to be floating point and on the GPU, and bfloat16
    has fewer digits than float16.

Silent
    Not reported for reads that are neither in a frame of `grad_scaler.py` nor the first within 2 ms of the
    unscaling of gradients. Only `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.line_rules import SCALER_FILE
from tbprof.model import Finding
from tbprof.rules.base.evidence import reads_number
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.launching import first_after_op, in_frames
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.words import NoFigures

_CODE = "SYN08"
_FRAME = rf".*{re.escape(SCALER_FILE)}\("
_UNSCALE = r"aten::_amp_foreach_non_finite_check_and_unscale_"

WITHIN_NS = 2_000_000
"""`GradScaler.step` reads the flag as the next thing after it has unscaled; the host needs less
for that, profiled or not."""


def find(facts: Facts) -> Iterator[Finding]:
    """Without stacks a site may hold other reads as well: the finding counts the scaler's alone."""
    of_scaler = in_frames(facts, _FRAME) | first_after_op(facts, _UNSCALE, WITHIN_NS)
    for index, site in facts.indexed_sites:
        members = site.members[of_scaler[site.members]]
        if reads_number(facts, site) and len(members):
            yield waits_finding(facts, (index,), members, rule=_CODE, removal="rewrite", figures=NoFigures())


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    kind="scalar_read",
    before=("SYN01", "SYN02", "SYN05", "SYN07", "SYN09"),
)
