"""What to know of the run that a window is of, as far as its hook and its labels tell."""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.model import HealthFact, HookFacts
from tbprof.trace.columns.arrays import NONE, is_among
from tbprof.trace.columns.columns import Category

_OPTIMIZER_STEP = r"Optimizer\.step#"
"""Torch labels each step of each optimizer so."""


def run_health(facts: Facts) -> Iterator[HealthFact]:
    """The codes, each with its numbers:

    - `inference`: the steps are those of a program that only infers.
    - `accumulation`: several steps make one of the optimizer, or a step goes back through
      the model several times.
    - `gpu_shared`: other processes are on the device.
    - `fact_missing`: a `fact` that the hook could not bring home, with the `reason`.
    """
    hook = facts.trace.facts
    if hook is not None and hook.phase == "inference":
        yield HealthFact("inference", "info", {})
    yield from _accumulation(facts, hook)
    if hook is not None and hook.other_gpu_processes:
        yield HealthFact("gpu_shared", "warning", {"processes": hook.other_gpu_processes})
    for missing in () if hook is None else hook.missing:
        yield HealthFact("fact_missing", "info", {"fact": missing.name, "reason": missing.reason})


def _accumulation(facts: Facts, hook: HookFacts | None) -> Iterator[HealthFact]:
    optimizer_steps = _optimizer_steps(facts)
    if optimizer_steps == 0:
        return
    if len(facts.steps) > optimizer_steps:
        numbers = {"steps": len(facts.steps), "optimizer_steps": optimizer_steps}
        yield HealthFact("accumulation", "info", numbers)
        return
    audit = None if hook is None else hook.audit
    # Several optimizers, as of a generator and a discriminator, go back once each.
    a_step = optimizer_steps // max(len(facts.steps), 1)
    if audit is not None and audit.backward_calls > a_step:
        numbers = {"backward_calls": audit.backward_calls, "optimizer_steps": a_step}
        yield HealthFact("accumulation", "info", numbers)


def _optimizer_steps(facts: Facts) -> int:
    """Those in the steps; 0 where the trace marks no steps."""
    if not facts.steps.recorded:
        return 0
    rows = matching_rows(facts.trace, _OPTIMIZER_STEP, Category.USER_ANNOTATION)
    rows = rows[is_among(facts.trace.slices.lane[rows], facts.steps.lanes)]
    return int((facts.steps.index_of(facts.trace.slices.start_ns[rows]) != NONE).sum())
