"""A tracer or a recording of memory is left on.

What
    A debugger, a coverage tool or a Python profiler watches the program's Python, or torch notes the stack of
    each allocation.

Why
    Python's part of a step takes a multiple of the time under a tracer, and the device waits for it. A stack
    for each allocation costs some microseconds at each of them, and memory as long as it is on.

Example
    before:
        torch.cuda.memory._record_memory_history()
        train()
    after:
        torch.cuda.memory._record_memory_history()
        train(steps=3)
        torch.cuda.memory._record_memory_history(enabled=None)

Action
    Turn it off for trainings that are to be fast.

Fix
    Start the program without the debugger or the coverage tool, and end a recording once it has served.
    caveat: figures that were recorded under a tracer show the host as slower than it is.

Silent
    Not reported if the hook did not record the window. TRC02 reports whether torch's own profiler slows the
    steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import HOOK, Rule
from tbprof.rules.settings.switches import UNMEASURED, as_it_should_be, settings, switch_finding
from tbprof.rules.settings.words import Tracers

_CODE = "ENV07"


def find(facts: Facts) -> Iterator[Finding]:
    known = settings(facts)
    tracer = known.get("python_tracer", "none")
    if tracer != "none":
        yield switch_finding(_CODE, "python_tracer", tracer)
    if known.get("memory_history") == "True":
        yield switch_finding(_CODE, "memory_history", "on")


RULE = Rule(
    code=_CODE,
    find=find,
    passing=as_it_should_be(settings, Tracers),
    needs=(HOOK,),
    no_saving=UNMEASURED,
)
