"""Autograd is on during inference.

What
    The window holds no backward pass and no optimizer, and autograd still records what a backward pass would
    need.

Why
    Each op of the model makes a node for the backward pass on the host, and keeps its inputs in memory until
    the result is dropped. A request takes longer to launch, and a batch needs several times the memory.

Example
    before:
        out = model(x)
    after:
        with torch.inference_mode():
            out = model(x)

Action
    Run the model under torch.inference_mode().

Fix
    Wrap the loop, or decorate the function, with `torch.inference_mode()`; `torch.no_grad()` does where the
    results take part in a later training step.
    caveat: a tensor made in inference mode can't be used where gradients are recorded afterwards.

Silent
    Not reported for windows with a backward pass or an optimizer step, for formats without autograd's
    sequence numbers, or if autograd made at most one node. What the host would save is not recorded: no
    saving is given.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import distinct_lines
from tbprof.model import Finding
from tbprof.rules.base.computing import trains
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Rule
from tbprof.rules.inference.words import AutogradNodes, OpsWithoutGraph
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

_CODE = "INF02"

LEAST_NODES = 2
"""In the window: one is a single tensor that asks for a gradient, and no model."""


def find(facts: Facts) -> Iterator[Finding]:
    nodes, rows = _nodes(facts)
    if nodes >= LEAST_NODES and not facts.once(trains):
        yield window_finding(
            _CODE,
            place="",
            severity="low",
            count=nodes,
            removal="rewrite",
            saving=None,
            confidence="high",
            evidence=row_evidence(facts, "op", rows),
            figures=AutogradNodes(round(nodes / max(len(facts.steps), 1), 1)),
        )


def _nodes(facts: Facts) -> tuple[int, Int64s]:
    """How many nodes autograd made in the steps, and the ops which it looked at.

    Each op that autograd sees bears the number that its thread's next node would have. While no node is made
    that number stays the same.
    """
    autograd, slices = facts.trace.autograd, facts.trace.slices
    if autograd is None:
        return 0, np.empty(0, np.int64)
    rows = autograd.autograd_number.rows.astype(np.int64)
    rows = rows[
        (slices.category[rows] == Category.CPU_OP) & (facts.steps.index_of(slices.start_ns[rows]) != NONE)
    ]
    numbers = autograd.autograd_number.at(rows)
    rows, numbers = rows[numbers >= 0], numbers[numbers >= 0]
    seen, _ = distinct_lines(np.stack([slices.lane[rows].astype(np.int64), numbers], axis=1))
    return len(seen) - len(distinct(seen[:, 0])), rows


def _looked_at(facts: Facts) -> OpsWithoutGraph | None:
    if facts.once(trains) or facts.trace.autograd is None:
        return None
    slices = facts.trace.slices
    ops = np.flatnonzero(slices.category == Category.CPU_OP)
    inside = int((facts.steps.index_of(slices.start_ns[ops]) != NONE).sum())
    return OpsWithoutGraph(inside) if inside else None


RULE = Rule(
    code=_CODE,
    find=find,
    passing=_looked_at,
    no_saving="what the host and the memory would save, only a run without it tells",
)
