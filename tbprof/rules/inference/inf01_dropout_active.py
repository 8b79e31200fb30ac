"""The model is in training mode though nothing is trained.

What
    The window holds no backward pass and no optimizer, and dropout draws random numbers, or batch norms count
    the batches that they compute their statistics from.

Why
    The answers of a model in training mode change from call to call, and the time for dropout is spent on
    making them worse. Its batch norms compute statistics instead of taking those of the training, and change
    these.

Example
    before:
        with torch.inference_mode():
            out = model(x)
    after:
        model.eval()
        with torch.inference_mode():
            out = model(x)

Action
    Put the model into evaluation mode: model.eval().

Fix
    Call `model.eval()` before inference and evaluation, and `model.train()` before training goes on.
    caveat: some methods estimate uncertainty by dropout, and need it.

Silent
    Not reported for windows with a backward pass or an optimizer step, even if part of them is evaluation;
    nor for random numbers that the program draws in no dropout; nor for batch norms of which fewer than nine
    in ten count a batch.
    The most that can be saved is the time of dropout, of batch norms, and of attention that is written out
    since it drops: on the device, or on the host if everything runs on a CPU.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_costs import runs_on_host
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns, union, union_of
from tbprof.analysis.names import match, matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.model import Finding, Saving
from tbprof.rules.base.computing import (
    computing_finding,
    device_ns,
    in_main_steps,
    severity_of_computing,
    spent_on,
    trains,
)
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import launched_inside
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.inference.words import ActiveDropout, IdleDropout
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

_CODE = "INF01"

_DROPPING = r"aten::(?:native_dropout|_fused_dropout)$"
_DRAWING = r"aten::bernoulli_$"
"""A dropout draws by it; so does a program that wants random numbers, in whichever mode its model is."""

_CALLED = r"aten::(?:dropout|alpha_dropout|feature_dropout)_?$"
_ATTENTION = r"aten::scaled_dot_product_attention$"
"""One that drops may be written out in single operators, where another is a single one."""
_NORM = r"aten::batch_norm$"

_COMPUTING = Need(GPU_WORK.name, lambda facts: GPU_WORK.is_met(facts) or runs_on_host(facts))


_COUNTS = r"aten::add_$"
"""A batch norm in training mode counts its batches with it, just before it runs."""
_NEARLY_ALL = 0.9
"""A network may add in place before some of its batch norms, and not before nearly all of them."""


def find(facts: Facts) -> Iterator[Finding]:
    drawn = np.sort(np.concatenate([_in_steps(facts, _DROPPING), _drawn_in_dropouts(facts)]))
    if facts.once(trains):
        return
    norms = _in_steps(facts, _NORM)
    if not len(drawn) and not _count_batches(facts, norms):
        return
    found = _on_host if facts.work.main_device is None else _on_device
    yield found(facts, drawn, norms)


def _on_device(facts: Facts, drawn: Int64s, norms: Int64s) -> Finding:
    attention = _around(facts, _ATTENTION, drawn)
    spent_ns, norms_ns = (
        device_ns(facts, _kernels(facts, rows)) for rows in (np.concatenate([drawn, attention]), norms)
    )
    kernels, steps = _kernels(facts, drawn), max(len(facts.steps), 1)
    share, per_step_ns = spent_on(facts, kernels)
    kernels = kernels if len(drawn) else _kernels(facts, norms)
    return computing_finding(
        facts,
        _CODE,
        kernels,
        ceiling_ns=spent_ns + norms_ns,
        figures=ActiveDropout(len(drawn), per_step_ns, norms_ns // steps, share, len(norms)),
        confidence="high",
    )


def _on_host(facts: Facts, drawn: Int64s, norms: Int64s) -> Finding:
    """Without a GPU the ops hold the time: the dropouts around the draws all that they do."""
    spent = _during(facts, np.concatenate([_around(facts, _CALLED, drawn), drawn]))
    of_norms, attention = _during(facts, norms), _during(facts, _around(facts, _ATTENTION, drawn))
    ceiling_ns = total_ns(union_of((spent, of_norms, attention)))
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ceiling_ns)
    steps = max(len(facts.steps), 1)
    return window_finding(
        _CODE,
        place="",
        severity=severity_of_computing(facts, saving),
        count=len(drawn) or len(norms),
        removal="rewrite",
        saving=saving,
        confidence="high",
        evidence=row_evidence(facts, "op", drawn if len(drawn) else norms),
        figures=ActiveDropout(
            len(drawn), total_ns(spent) // steps, total_ns(of_norms) // steps, norms=len(norms)
        ),
    )


def _count_batches(facts: Facts, norms: Int64s) -> bool:
    """Whether nearly all of these batch norms come right after an operator that counts their batches."""
    slices, counting = facts.trace.slices, 0
    ops = _in_steps(facts, "")
    counts = match(facts.trace, ops, _COUNTS)
    for lane in distinct(slices.lane[norms]).tolist():
        mine = np.flatnonzero(slices.lane[ops] == lane)
        mine = mine[np.argsort(slices.end_of(ops[mine]), kind="stable")]
        start_ns = slices.start_ns[norms[slices.lane[norms] == lane]]
        before = np.searchsorted(slices.end_of(ops[mine]), start_ns, side="right") - 1
        counting += int(counts[mine[before[before >= 0]]].sum())
    return len(norms) > 0 and counting >= _NEARLY_ALL * len(norms)


def _in_steps(facts: Facts, name: str) -> Int64s:
    rows = matching_rows(facts.trace, name, Category.CPU_OP)
    in_steps: Int64s = rows[facts.steps.index_of(facts.trace.slices.start_ns[rows]) != NONE]
    return in_steps


def _around(facts: Facts, name: str, drawn: Int64s) -> Int64s:
    """The operators of this name in which something is drawn."""
    rows, draws = _in_steps(facts, name), _during(facts, drawn)
    holds = overlap_ns(draws, facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows)) > 0
    held: Int64s = rows[holds]
    return held


def _during(facts: Facts, rows: Int64s) -> Intervals:
    return union(facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows))


def _drawn_in_dropouts(facts: Facts) -> Int64s:
    slices, drawn = facts.trace.slices, _in_steps(facts, _DRAWING)
    called = Nest.of(slices, _in_steps(facts, _CALLED))
    lane = slices.lane[drawn].astype(np.int64)
    inside: Int64s = drawn[called.innermost(lane, slices.start_ns[drawn], slices.end_of(drawn)) != NONE]
    return inside


def _kernels(facts: Facts, rows: Int64s) -> Int64s:
    inside = launched_inside(facts, rows)
    return in_main_steps(facts, inside[facts.work.is_kernel[inside]])


def _looked_at(facts: Facts) -> IdleDropout | None:
    calls = len(matching_rows(facts.trace, _CALLED, Category.CPU_OP))
    return None if facts.once(trains) or not calls else IdleDropout(calls)


RULE = Rule(code=_CODE, answers=("busy",), find=find, passing=_looked_at, needs=(_COMPUTING,))
