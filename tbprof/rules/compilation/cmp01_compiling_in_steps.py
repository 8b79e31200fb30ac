"""Code is compiled in the steps.

What
    torch.compile compiles during the recorded steps: something about the inputs has changed, and a
    compiled form no longer fits.

Why
    Compiling takes seconds in which the device has nothing to do. A shape that is new in each step
    compiles again and again, until torch gives up and runs the code uncompiled.

Example
    before:
        step = torch.compile(train_step)
        for batch in loader:
            step(batch)
    after:
        step = torch.compile(train_step, dynamic=True)
        for batch in loader:
            step(batch)

Action
    Keep the inputs of compiled code the same, or mark what varies.

Fix
    `TORCH_LOGS=recompiles` says what changed. Mark sizes that vary with `torch._dynamo.mark_dynamic`,
    drop the last small batch of an epoch, and keep Python numbers out of compiled functions.
    caveat: the first steps always compile; record later ones.

Silent
    Not reported if compiling leaves the device idle for less than 1 % of the steps; without a GPU, if it
    takes less than 1 % of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_costs import runs_on_host
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import intersect, total_ns, union
from tbprof.analysis.names import matching_names
from tbprof.model import Finding, Saving
from tbprof.rules.base.computing import is_worth_a_word, typical_ns
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding, with_remedy
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.base.severity import severity_of_cause, severity_of_transfer
from tbprof.rules.compilation.compiled_regions import regions_in_steps
from tbprof.rules.compilation.words import CompilingIdle

_CODE = "CMP01"

_COMPILED = r"Torch-Compiled Region|## Call CompiledFxGraph|CompiledFunction|triton_|entire_frame_compile"


_NUMBERED = re.compile(r"Torch-Compiled Region: \d+/(\d+)")
_START_LATER = "TRC01"
"""The rule whose fix is that of what is compiled for the first time."""

_COMPUTING = Need(GPU_WORK.name, lambda facts: GPU_WORK.is_met(facts) or runs_on_host(facts))


def find(facts: Facts) -> Iterator[Finding]:
    if runs_on_host(facts):
        yield from _on_host(facts)
        return
    idle = facts.idle_of("compile")
    if not is_worth_a_word(facts, total_ns(idle)):
        return
    seen = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=total_ns(idle))
    won_ns = max(total_ns(idle), earlier_host_ns(facts, facts.causes.states["compile"]))
    found = window_finding(
        _CODE,
        place="",
        severity=severity_of_cause(facts, seen),
        count=len(idle),
        removal="rewrite",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=won_ns),
        confidence="high",
        evidence=idle_evidence(facts, idle),
        figures=_idle(facts),
    )
    yield with_remedy(found, fixed_as=_START_LATER if _is_first(facts) else "")


def _is_first(facts: Facts) -> bool:
    """Whether all compiled code that runs is the first form of its function: torch numbers both."""
    names = {facts.trace.names[name] for name in facts.trace.slices.name[regions_in_steps(facts)].tolist()}
    numbered = [_NUMBERED.fullmatch(name) for name in names]
    return bool(numbered) and all(form is not None and form[1] == "0" for form in numbered)


def _on_host(facts: Facts) -> Iterator[Finding]:
    """Where the model runs on the CPU as well: what compiling takes of the steps."""
    steps = facts.steps
    spent = intersect(facts.causes.states["compile"], union(steps.start_ns, steps.end_ns))
    spent_ns = typical_ns(facts, spent)
    if not is_worth_a_word(facts, spent_ns):
        return
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=spent_ns)
    yield window_finding(
        _CODE,
        place="",
        severity=severity_of_transfer(facts, saving),
        count=len(spent),
        removal="rewrite",
        saving=saving,
        confidence="high",
        evidence=(),
        figures=CompilingIdle(
            spent_ns // max(len(steps), 1), share=spent_ns / max(steps.total_ns, 1), on_host=True
        ),
    )


def _idle(facts: Facts) -> CompilingIdle:
    idle_ns = total_ns(facts.idle_of("compile"))
    steps = max(len(facts.steps), 1)
    return CompilingIdle(idle_ns // steps, share=idle_ns / max(facts.steps.total_ns, 1))


def _looked_at(facts: Facts) -> CompilingIdle | None:
    return _idle(facts) if matching_names(facts.trace, _COMPILED).any() else None


RULE = Rule(code=_CODE, effect="earlier_host", find=find, passing=_looked_at, needs=(_COMPUTING,))
