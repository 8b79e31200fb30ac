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
    Where the hook did not record the window, and of what was compiled again before it. The idle that
    compiling causes is CMP01's: no saving is given here.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import CompilerFacts, Finding, Numbers, Severity
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import HOOK, Passing, Rule
from tbprof.rules.compilation.compiled_regions import compiler
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count

_CODE = "CMP04"


def find(facts: Facts) -> Iterator[Finding]:
    known = compiler(facts)
    if known is None:
        return
    if known.given_up:
        yield _finding(known, known.given_up[0], len(known.given_up), "medium", is_given_up=1)
    elif _compiled_in_steps(facts) and known.recompilations:
        yield _finding(known, known.recompilations[0].reason, _compiled_in_steps(facts), "low", is_given_up=0)


def _finding(
    known: CompilerFacts, reason: str, times: int, severity: Severity, *, is_given_up: int
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
        numbers={"place": place, "reason": reason, "given_up": is_given_up, **_recompiled(known)},
    )


def _recompiled(known: CompilerFacts) -> Numbers:
    return {
        "times": sum(one.count for one in known.recompilations),
        "compile_ms": sum(one.compile_ns for one in known.recompilations) // 1_000_000,
    }


def _compiled_in_steps(facts: Facts) -> int:
    """How many functions were compiled in the recorded steps."""
    hook = facts.trace.facts
    return 0 if hook is None else hook.counters.get("dynamo.frames", 0)


def _looked_at(facts: Facts) -> Numbers | None:
    known = compiler(facts)
    return None if known is None else {"graphs": known.graphs, **_recompiled(known)}


def _passed(numbers: Numbers, _: Scope) -> str:
    graphs, times = count(int(numbers["graphs"]), "compiled graph"), int(numbers["times"])
    if not times:
        return f"{graphs}, none of them for something that was compiled before."
    return f"{graphs}; compiled again {count(times, 'time')} before the recorded steps, and not in them."


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=Passing(_looked_at, _passed),
    needs=(HOOK,),
    no_saving="the idle that compiling causes is CMP01's",
)
