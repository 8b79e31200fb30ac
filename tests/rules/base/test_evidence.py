"""Where to look for what a finding says."""

from __future__ import annotations

import numpy as np
from trace_builder import TraceBuilder

from tbprof.rules.base.evidence import MAX_EVIDENCE, row_evidence


def test_the_longest_are_shown_and_the_longest_of_each_step_is_named() -> None:
    built = TraceBuilder()
    for number in range(2):
        built.step(number, 1000 * number, 1000 * number + 1000)
    for number in range(5):
        built.op("aten::add", 100 * number + 10, 100 * number + 60 + number)
    built.op("aten::add", 1100, 1120)
    built.op("aten::add", 1200, 1210)
    facts = built.facts()
    ops = np.flatnonzero(facts.trace.slices.duration_ns < 100_000)
    found = row_evidence(facts, "op", ops)
    assert [(one.duration_ns, one.step) for one in found] == [
        *((1000 * (54 - at), 0) for at in range(MAX_EVIDENCE)),
        (20_000, 1),
    ]
