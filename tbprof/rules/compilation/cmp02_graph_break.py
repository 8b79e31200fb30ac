"""A line breaks compiled code into pieces.

What
    torch.compile came to a line that it can't compile: it ended a graph there, left the line to Python, and
    began another graph after it.

Why
    Nothing is fused across a break, each piece is checked and called by the host, and a CUDA graph ends
    there. A break at which a tensor's value is read makes the host wait for the device as well.

Example
    before:
        @torch.compile
        def step(x):
            x = layer(x)
            print("mean", x.mean())
            return head(x)
    after:
        @torch.compile
        def step(x):
            return head(layer(x))

Action
    Take this line out of the compiled function, or rewrite it.

Fix
    Log outside the compiled code, replace an `if` on a tensor by `torch.where`, and register operators of
    your own with `torch.library.custom_op`. `torch.compile(fullgraph=True)` turns each break into an error.
    caveat: a break around code that runs rarely, or once between two large graphs, costs little.

Silent
    Not reported if the hook did not record the window, if no compiled code runs in the steps, or for a
    break at a line of a library if the program's own line is not known. What a whole graph would save is
    not known: no saving is given, and the class is low.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, GraphBreak
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import HOOK, Rule
from tbprof.rules.compilation.compiled_regions import (
    compiler,
    regions_in_steps,
    what_compile_brought,
)
from tbprof.rules.compilation.words import BrokenGraph, NoBrokenGraph

_CODE = "CMP02"

_MAX_PLACES = 3


def find(facts: Facts) -> Iterator[Finding]:
    known, rows = compiler(facts), regions_in_steps(facts)
    if known is None or not len(rows):
        return
    compiled = what_compile_brought(facts, known)
    for broken in islice(known.breaks, _MAX_PLACES):
        yield window_finding(
            _CODE,
            place=_place(broken),
            severity="low",
            count=broken.count,
            removal="rewrite",
            saving=None,
            confidence="medium",
            evidence=row_evidence(facts, "compiled", rows),
            figures=BrokenGraph(_place(broken), broken.reason, compiled),
        )


def _place(broken: GraphBreak) -> str:
    return f"{broken.file}({broken.line}): {broken.function}"


def _looked_at(facts: Facts) -> NoBrokenGraph | None:
    known = compiler(facts)
    return None if known is None else NoBrokenGraph(len(known.breaks), what_compile_brought(facts, known))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=_looked_at,
    needs=(HOOK,),
    no_saving="what one whole graph would run as, only compiling without the break tells",
)
