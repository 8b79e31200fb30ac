"""The launches that come from code that torch.compile has made.

Torch marks such code by the ranges `Torch-Compiled Region` (from 2.4 on) and `CompiledFunction`, those of
Inductor by `## Call CompiledFxGraph`; Inductor's own kernels are named `triton_`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import match, matching_names
from tbprof.analysis.nesting import Nest
from tbprof.rules.launch.words import CompiledKernels
from tbprof.trace.columns.arrays import NONE, Int64s

_KERNEL = r"triton_(?:poi|red|per|tem|for|mm|unk)_"
"""Kernels that Inductor wrote; hand-written Triton kernels bear other names."""

_REGION = r"(?:Torch-Compiled Region|## Call CompiledFxGraph|CompiledFunction)"


def are_compiled(facts: Facts, kernels: Int64s) -> npt.NDArray[np.bool_]:
    """Whether kernels, by their positions in the device's work, come from compiled code; their launches are
    known.
    """
    trace = facts.trace
    slices = trace.slices
    is_region = matching_names(trace, _REGION)
    rows = np.flatnonzero(is_region[slices.name]) if is_region.any() else np.empty(0, np.int64)
    regions = Nest.of(slices, rows)
    launches = facts.work.launch[kernels]
    start_ns = slices.start_ns[launches]
    inside = regions.innermost(slices.lane[launches].astype(np.int64), start_ns, start_ns) != NONE
    compiled: npt.NDArray[np.bool_] = inside | match(trace, facts.work.rows[kernels], _KERNEL)
    return compiled


def compiled_kernels(facts: Facts) -> CompiledKernels | None:
    """The figures of a rule about compiled code that the device does not wait for."""
    kernels = facts.kernels_in_steps
    compiled = int(are_compiled(facts, kernels).sum())
    return CompiledKernels(compiled, len(kernels)) if compiled else None
