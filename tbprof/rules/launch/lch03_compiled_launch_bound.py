"""The kernels of compiled code are too short for the host to keep up.

What
    Most kernels of one piece of code come from torch.compile, and still each is over before the host
    has launched the next one.

Why
    Compiling fuses operators into fewer kernels, but each of them is still launched by the host, which
    takes 5 us and more for one. Every graph break, guard and call that is not compiled comes on top.

Example
    before:
        model = torch.compile(model)
        for tokens in requests:
            logits = model(tokens)
    after:
        model = torch.compile(model, mode="reduce-overhead")
        for tokens in requests:
            logits = model(tokens)

Action
    Replay the compiled code as a CUDA graph.

Fix
    Compile with `mode="reduce-overhead"`, which replays the kernels of a compiled region as one CUDA graph.
    Where that brings nothing, `TORCH_LOGS=graph_breaks,cudagraphs` prints what cuts the code into
    pieces or keeps it out of a graph; a larger batch makes each kernel longer.
    caveat: a CUDA graph needs fixed shapes, keeps its memory, and overwrites its outputs with the next
    call: clone what has to outlive it.

Silent
    Not reported if most kernels of the code were not compiled (LCH01), for a median kernel of 10 us or more
    with idle time under 10 % of the steps, for idle time under 1 % of the steps, or if work is queued
    during most of it. Kernels of a CUDA graph do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.launch.bound_code import find_bound_code
from tbprof.rules.launch.compiled_launches import compiled_kernels

_CODE = "LCH03"


def find(facts: Facts) -> Iterator[Finding]:
    yield from find_bound_code(facts, _CODE, compiled=True)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("launch_bound",),
    find=find,
    passing=compiled_kernels,
    needs=(GPU_WORK,),
)
