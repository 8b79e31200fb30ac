"""The kernels are too short for the host to keep up.

What
    One piece of code launches many kernels, each over before the host has launched the next one.
    The device runs dry between them, again and again, although the host never stops launching.

Why
    An op takes the host about 10 us, whatever its size. Kernels that are shorter than that leave the
    device idle for the difference, and a faster device makes it worse.

Example
    before:
        def loss_of(predicted, target):
            error = (predicted - target).abs()
            return torch.where(error < 1, 0.5 * error**2, error - 0.5).mean()
    after:
        @torch.compile(mode="reduce-overhead")
        def loss_of(predicted, target):
            return torch.nn.functional.smooth_l1_loss(predicted, target)

Action
    Launch fewer kernels: record a CUDA graph, or compile.

Fix
    Use the fused form of the library, compile that code, or record it as a CUDA graph; a larger
    batch makes each kernel longer.
    caveat: a CUDA graph needs fixed shapes and no sync point inside it; a profiler that records
    Python frames slows the host down, so measure again without them before you change much.

Silent
    Not reported for code with a median kernel of 10 us or more and at most 1000 launches in a step (kernels
    of a CUDA graph do not count), unless its idle time is 10 % of the steps; if it is under 1 % of the warm
    steps; or if work is queued during most of the idle time. At most low if another cause holds more of the
    idle time, because the host can no longer run ahead then, and with fewer than 8 kernels in all. At most
    medium if the host does other things (LCH02) for more of it than it launches. LCH03 covers compiled
    code.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.passing import short_pauses
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.launch.bound_code import find_bound_code

_CODE = "LCH01"


def find(facts: Facts) -> Iterator[Finding]:
    yield from find_bound_code(facts, _CODE, compiled=False)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("launch_bound",),
    find=find,
    passing=short_pauses,
    needs=(GPU_WORK,),
)
