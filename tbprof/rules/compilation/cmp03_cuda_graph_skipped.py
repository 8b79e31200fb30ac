"""Compiled code is kept out of a CUDA graph.

What
    The code was compiled to be replayed as a CUDA graph, and torch replays some of it kernel by kernel.

Why
    `mode="reduce-overhead"` and `mode="max-autotune"` gain by launching a whole graph at once. What is kept
    out of it is launched by the host as before, and nothing says so but a line in the log.

Example
    before:
        @torch.compile(mode="reduce-overhead")
        def step(x, table):
            table[0] += 1
            return model(x) * table[0]
    after:
        @torch.compile(mode="reduce-overhead")
        def step(x, scale):
            return model(x) * scale

Action
    Remove what keeps the compiled code out of a CUDA graph.

Fix
    Keep tensors of the host out of the compiled code, write to no input of it, and keep its shapes fixed.
    What writes to inputs or is on the host can stay outside the compiled function. `TORCH_LOGS=cudagraphs`
    prints each reason with its line.
    caveat: where kernels are long anyway a CUDA graph gains nothing.

Silent
    Not reported if the hook did not record the window or nothing was compiled. LCH03 gives the saving.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import HOOK, Rule
from tbprof.rules.compilation.compiled_regions import compiler, regions_in_steps
from tbprof.rules.compilation.words import CudaGraphs, SkippedCudaGraphs

_CODE = "CMP03"


def find(facts: Facts) -> Iterator[Finding]:
    known, rows = compiler(facts), regions_in_steps(facts)
    if known is None or not known.cudagraph_skips or not len(rows):
        return
    yield window_finding(
        _CODE,
        place="",
        severity="low",
        count=known.cudagraph_skips,
        removal="rewrite",
        saving=None,
        confidence="medium",
        evidence=row_evidence(facts, "compiled", rows),
        figures=SkippedCudaGraphs(known.cudagraph_skips, next(iter(known.cudagraph_reasons), "")),
    )


def _looked_at(facts: Facts) -> CudaGraphs | None:
    known = compiler(facts)
    return None if known is None else CudaGraphs(known.graphs, skips=known.cudagraph_skips)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=_looked_at,
    needs=(HOOK,),
    no_saving="LCH03 has the idle that a CUDA graph could win",
)
