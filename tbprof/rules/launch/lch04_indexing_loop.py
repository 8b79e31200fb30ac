"""A loop over rows of a tensor launches op after op.

What
    The same few ops, a selection of a row among them, follow one another ten times and more.

Why
    Each turn of such a loop launches kernels that are over at once. One op over the whole tensor does the
    same in a single launch.

Example
    before:
        for row in range(len(x)):
            out[row] = x[row] * scale[row]
    after:
        out = x * scale[:, None]

Action
    Compute on the whole tensor instead of row by row.

Fix
    Write the loop as one operation with broadcasting, or with `torch.vmap`, `torch.gather` or
    `torch.bmm`.
    caveat: where each turn needs the one before, compile the loop instead.

Silent
    Not reported if such loops take less than 1 % of the host's steps, or if the device does not wait for
    them. The host's time in them limits the saving: the class is at most medium.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, intersect, total_ns, union
from tbprof.model import Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.computing import device_ns, is_worth_a_word, severity_of_computing
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import gaps_ns, unbroken_ops
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.launch.words import FewIndexingLoops, IndexingLoops
from tbprof.trace.columns.arrays import Int64s, distinct_places, is_among

_CODE = "LCH04"

TURNS = 10
"""The number of turns in torch.profiler's own pattern of such loops."""

_SELECTING = frozenset(("aten::select", "aten::slice", "aten::index", "aten::narrow"))
_LOOP = re.compile(rf"(.{{1,8}}?)\1{{{TURNS - 1},}}")
_FIRST_LETTER = 0xE000


@dataclass(frozen=True, slots=True, eq=False)
class _Loops:
    turns: int
    during: Intervals
    idle: Intervals
    """What of it the device waited for."""
    work: Int64s
    """What they launched."""


def find(facts: Facts) -> Iterator[Finding]:
    loops = facts.once(_find_loops)
    if not is_worth_a_word(facts, total_ns(loops.idle)):
        return
    seen = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=total_ns(loops.idle))
    won_ns = earlier_host_ns(facts, loops.during) + device_ns(facts, loops.work) + gaps_ns(facts, loops.work)
    yield window_finding(
        _CODE,
        place="",
        severity=severity_of_computing(facts, seen),
        count=loops.turns,
        removal="rewrite",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=min(won_ns, facts.steps.total_ns)),
        confidence="medium",
        evidence=idle_evidence(facts, loops.idle),
        figures=IndexingLoops(
            turns=loops.turns,
            loop_per_step_ns=total_ns(loops.during) // len(facts.steps),
            idle_per_step_ns=total_ns(loops.idle) // len(facts.steps),
        ),
    )


def _find_loops(facts: Facts) -> _Loops:
    """Runs of equal ops within a step, with a letter for each name."""
    ops, slices = facts.top_ops, facts.trace.slices
    names = slices.name[ops.rows]
    distinct, letter = distinct_places(names)
    selecting = {
        chr(_FIRST_LETTER + at) for at, name in enumerate(distinct) if facts.trace.names[name] in _SELECTING
    }
    text = (_FIRST_LETTER + letter).astype("<u4").tobytes().decode("utf-32-le")
    stretches = unbroken_ops(facts, np.arange(len(ops))) if selecting else ()
    pieces = (_LOOP.finditer(text, *piece) for piece in stretches)
    repeated = (one for matches in pieces for one in matches if selecting & set(one[1]))
    before = np.concatenate([[0], np.cumsum(ops.kernels)]).tolist()
    # A loop over a tensor of the host launches nothing.
    found = [one for one in repeated if before[one.end()] - before[one.start()] >= len(one[0]) // len(one[1])]
    first, last = ([end(one) for one in found] for end in (re.Match.start, re.Match.end))
    start = slices.start_ns[ops.rows[first]] if found else np.empty(0, np.int64)
    end = slices.end_of(ops.rows[np.array(last, np.int64) - 1]) if found else start
    during = union(start, end)
    turns = sum(len(one[0]) // len(one[1]) for one in found)
    held = [at for one in found for at in range(one.start(), one.end())]
    return _Loops(
        turns, during, intersect(facts.empty_idle, during), np.flatnonzero(is_among(ops.of_work, held))
    )


def _looked_at(facts: Facts) -> FewIndexingLoops | None:
    ops = len(facts.top_ops)
    return FewIndexingLoops(ops, facts.once(_find_loops).turns) if ops else None


RULE = Rule(code=_CODE, effect="fewer_kernels", find=find, passing=_looked_at, needs=(GPU_WORK,))
