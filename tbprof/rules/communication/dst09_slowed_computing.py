"""Kernels take longer beside communication.

What
    The same kernels of the same ops with the same shapes take longer while a collective runs than they do
    without one.

Why
    A collective is a kernel too: it takes some multiprocessors for itself, and reads and writes the same
    memory. Communication that computing covers is therefore not free, and with large matrices, whose kernels
    fill the device evenly, losing a few multiprocessors can cost a whole wave.

Example
    before:
        # as NCCL chooses: up to 32 blocks for one collective
        model = DistributedDataParallel(model, bucket_cap_mb=100)
    after:
        os.environ["NCCL_MAX_CTAS"] = "8"
        model = DistributedDataParallel(model, bucket_cap_mb=25)

Action
    Let communication take fewer multiprocessors from computing.

Fix
    Bound NCCL's blocks (`NCCL_MAX_CTAS`, or `config.max_ctas` of `ProcessGroupNCCL.Options`) until the
    collectives get slower, and measure. On NVLink with SHARP and with copy engines (`symmetric memory`) a
    collective needs hardly any multiprocessors.
    caveat: fewer blocks make the collective itself slower; where it is exposed, that costs more than it wins.

Silent
    Not reported without shapes, for fewer than three kernels of a kind with or without communication beside
    them, if they take less than 10 % longer, or if all of that is less than 1 % of the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.communication.slowed_rows import find_slowed
from tbprof.rules.communication.words import SlowedKernels
from tbprof.trace.columns.arrays import NONE, Int64s

_CODE = "DST09"


def find(facts: Facts) -> Iterator[Finding]:
    if not len(facts.collectives.at):
        return
    kernels = facts.kernels_in_steps
    kernels = kernels[~facts.parts.is_communication[kernels]]
    yield from find_slowed(
        facts, _CODE, ("kernel", SlowedKernels), *_kernels_of_shapes(facts, kernels), kernels
    )


def _kernels_of_shapes(facts: Facts, at: Int64s) -> tuple[Int64s, Int64s]:
    """The kernels whose op has shapes, and the name, op, shapes and place in the op of each."""
    work, slices = facts.work, facts.trace.slices
    launch = work.launch[at]
    op = facts.places.ops_on(slices.lane[launch].astype(np.int64), slices.start_ns[launch])
    shapes = np.where(op == NONE, NONE, facts.trace.input_shapes.at(op))
    known = np.flatnonzero(shapes != NONE)
    at, op, shapes = at[known], op[known], shapes[known]
    order = np.lexsort((work.launch_start_ns[at], op))
    at, op, shapes = at[order], op[order], shapes[order]
    place = np.arange(len(op)) - np.searchsorted(op, op, side="left")
    return at, np.stack([slices.name[work.rows[at]], slices.name[op], shapes, place], axis=1)


def _is_comparable(facts: Facts) -> bool:
    return len(facts.trace.input_shapes.rows) > 0 or not len(facts.collectives.at)


RULE = Rule(
    code=_CODE,
    find=find,
    passing=collectives,
    needs=(GPU_WORK, Need("shapes", _is_comparable)),
    is_of_device=True,
)
