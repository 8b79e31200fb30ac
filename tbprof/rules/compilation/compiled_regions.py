"""What torch.compile has made of a program, and what of it runs in the steps."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.model import CompilerFacts
from tbprof.rules.base.launching import launched_inside
from tbprof.rules.compilation.words import Compiled
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category

_REGIONS = (r"Torch-Compiled Region", r"## Call CompiledFxGraph|CompiledFunction$")
"""The marks of torch 2.4 and later, and of earlier ones."""


def compiler(facts: Facts) -> CompilerFacts | None:
    """What the hook found in torch's records; None where nothing was compiled."""
    return None if facts.trace.facts is None else facts.trace.facts.compiler


def regions_in_steps(facts: Facts) -> Int64s:
    """Rows of the calls of compiled code in the steps; there are none of code that is never called."""
    for pattern in _REGIONS:
        rows = matching_rows(facts.trace, pattern, Category.CPU_OP, Category.USER_ANNOTATION)
        if len(rows):
            in_steps: Int64s = rows[facts.steps.index_of(facts.trace.slices.start_ns[rows]) != NONE]
            return in_steps
    return np.empty(0, np.int64)


def what_compile_brought(facts: Facts, known: CompilerFacts) -> Compiled:
    """How many calls of torch became how many graphs, and what these launch in a step."""
    rows, steps = regions_in_steps(facts), max(len(facts.steps), 1)
    launched = launched_inside(facts, rows)
    kernels = int(facts.work.is_kernel[launched].sum())
    return Compiled(
        graphs=known.graphs,
        operations=known.operations,
        regions_per_step=round(len(rows) / steps, 1),
        kernels_per_step=round(kernels / steps, 1),
    )
