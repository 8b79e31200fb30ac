"""Code is compiled again and again.

What
    torch.compile compiled a function again in the recorded steps, or so often that it has given it up and
    runs it uncompiled.

Why
    Each time takes seconds, and a program that is never through with them never gets what compiling was for.
    After eight forms of one function torch gives up.

Example
    before:
        for length, batch in enumerate(loader):
            loss = step(batch, length)
    after:
        for batch in loader:
            torch._dynamo.mark_dynamic(batch, 1)
            loss = step(batch)

Action
    Keep what the reason names the same, or mark it as dynamic.

Fix
    Mark a size that varies with `torch._dynamo.mark_dynamic`, pass numbers that vary as tensors, give batches
    one length or a few, and call the function always in one mode: training, precision and gradients on or off
    are forms of their own.
    caveat: a few forms at the start, such as one for training and one for evaluation, are as they should be.

Silent
    Not reported if the hook did not record the window. Code that was compiled again before the window is
    not counted. CMP01 gives the saving.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import CompilerFacts, Finding, Severity
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import HOOK, Rule
from tbprof.rules.compilation.compiled_regions import compiler
from tbprof.rules.compilation.words import CompiledOnce, Recompiled

_CODE = "CMP04"


def find(facts: Facts) -> Iterator[Finding]:
    known = compiler(facts)
    if known is None:
        return
    if known.given_up:
        yield _finding(known, known.given_up[0], len(known.given_up), "medium", is_given_up=True)
    elif _compiled_in_steps(facts) and known.recompilations:
        yield _finding(
            known, known.recompilations[0].reason, _compiled_in_steps(facts), "low", is_given_up=False
        )


def _finding(
    known: CompilerFacts, reason: str, times: int, severity: Severity, *, is_given_up: bool
) -> Finding:
    worst = next(iter(known.recompilations), None)
    place = "" if worst is None else f"{worst.file}({worst.line}): {worst.function}"
    return window_finding(
        _CODE,
        place=place,
        severity=severity,
        count=times,
        removal="rewrite",
        saving=None,
        confidence="high",
        evidence=(),
        figures=Recompiled(
            place, reason, given_up=is_given_up, times=_times(known), compile_ms=_compile_ms(known)
        ),
    )


def _times(known: CompilerFacts) -> int:
    return sum(one.count for one in known.recompilations)


def _compile_ms(known: CompilerFacts) -> int:
    return sum(one.compile_ns for one in known.recompilations) // 1_000_000


def _compiled_in_steps(facts: Facts) -> int:
    """How many functions were compiled in the recorded steps."""
    hook = facts.trace.facts
    return 0 if hook is None else hook.counters.get("dynamo.frames", 0)


def _looked_at(facts: Facts) -> CompiledOnce | None:
    known = compiler(facts)
    return None if known is None else CompiledOnce(known.graphs, _times(known), _compile_ms(known))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=_looked_at,
    needs=(HOOK,),
    no_saving="the idle that compiling causes is CMP01's",
)
