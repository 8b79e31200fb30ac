"""What to know before the figures are trusted, as far as the analysis can see it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.events.gpu_lag import gpu_lag_ns, lag_in_steps
from tbprof.analysis.events.steps import LAG_SHARE
from tbprof.analysis.facts import Facts
from tbprof.analysis.health.run_health import run_health
from tbprof.model import HealthFact, HealthSeverity
from tbprof.trace.columns.arrays import NONE, is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import STEP_PREFIX


def health_facts(facts: Facts) -> tuple[HealthFact, ...]:
    """The codes, each with its numbers:

    - `no_steps`: the trace marks no steps, or none that has a length.
    - `cold_steps`: steps left out of medians.
    - `gpu_lag`: the device ends its steps late, and whether the steps of the report are its own.
    - `copies_without_call`: device copies that no copy call of the trace started (a graph did, or
      a call before the window); no copies by our count.
    - `calls_cut`: calls that ran on where another one of their thread had begun.
    - `calls_without_record`: copy calls that blocked and have no device row.
    - `no_stacks`: sites have no source, since no Python frames were recorded.
    - `no_user_frames`: sites have no source, and none of the recorded frames is the user's.
    - `no_audit_step`: the hook was to record lines and could not, with the `reason` as a code.
    - `only_warned_lines`: it recorded those that CUDA itself warned of, and no others.
    - `lines_not_exact`: sync points and copies whose line the recorded ones leave open.

    What the file itself lost is said by its reader; what is to be known of the run, `run_health`.
    """
    return tuple(_found(facts))


def _found(facts: Facts) -> Iterator[HealthFact]:
    yield from _steps(facts)
    yield from _joins(facts)
    slices = facts.trace.slices
    if facts.sites and all(site.source is None for site in facts.sites):
        has_frames = bool((slices.category == Category.PYTHON).any())
        yield HealthFact("no_user_frames" if has_frames else "no_stacks", "info", {})
    yield from _lines(facts)
    yield from run_health(facts)


def _steps(facts: Facts) -> Iterator[HealthFact]:
    steps = facts.steps
    if not steps.recorded:
        marked = len(matching_rows(facts.trace, STEP_PREFIX, Category.USER_ANNOTATION))
        yield HealthFact("no_steps", "info", {"without_length": marked} if marked else {})
        return
    if any(steps.cold):
        yield HealthFact("cold_steps", "info", {"cold": sum(steps.cold), "steps": len(steps)})
    lag = gpu_lag_ns(facts.work, steps)
    if lag is None:
        return
    share = lag / np.maximum(steps.end_ns - steps.start_ns, 1)
    late = int((share > LAG_SHARE).sum())
    if late:
        worst = int(np.argmax(share))
        numbers = {"steps": late, "worst_us": int(lag[worst]) / 1000, **lag_in_steps(float(share[worst]))}
        severity: HealthSeverity = "info" if steps.of_device else "warning"
        yield HealthFact("gpu_lag", severity, {**numbers, "of_device": int(steps.of_device)})


def _joins(facts: Facts) -> Iterator[HealthFact]:
    work, calls = facts.work, facts.calls
    copied = work.launch[facts.trace.slices.category[work.rows] == Category.MEMCPY]
    strangers = int((~is_among(copied, calls.rows[calls.is_copy])).sum())
    if strangers:
        yield HealthFact("copies_without_call", "info", {"copies": strangers})
    if calls.cut:
        yield HealthFact("calls_cut", "warning", {"calls": calls.cut})
    bare = facts.episodes.is_copy & (facts.episodes.record == NONE)
    if bare.any():
        yield HealthFact("calls_without_record", "info", {"calls": int(bare.sum())})


def _lines(facts: Facts) -> Iterator[HealthFact]:
    audit = None if facts.trace.facts is None else facts.trace.facts.audit
    if audit is None:
        return
    if audit.left_out:
        reason = {"reason": audit.left_out}
        yield HealthFact("only_warned_lines" if audit.calls else "no_audit_step", "info", reason)
    if not audit.calls or not facts.sites:
        return
    open_ = sum(len(site.members) for site in facts.sites if site.source is None or not site.source.exact)
    if open_:
        yield HealthFact("lines_not_exact", "info", {"episodes": open_, "of": len(facts.episodes.first)})
