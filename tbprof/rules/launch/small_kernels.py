"""Code whose kernels are so short that launching them takes longer than running them.

Code is a label or a function of the user, the innermost around the launch. What autograd launches
lies in none and is called `BACKWARD`; what no name is known for is under "".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals
from tbprof.analysis.attribution.host_code import HostPlaces
from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.idle_places import LaunchIdle
from tbprof.records import dataclass
from tbprof.rules.launch.compiled_launches import are_compiled
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, is_among, median

BACKWARD = "backward"


@dataclass(frozen=True, slots=True, eq=False)
class CodeKernels:
    """What one piece of code launches in all steps, and the idle between its launches."""

    place: str
    kernels: int
    ops: int
    """Ops that launched them, innermost ones, each time they ran."""
    median_kernel_ns: int
    is_compiled: bool
    """Whether most of the kernels come from torch.compile."""
    idle: Intervals
    work: Int64s
    """Positions of its kernels."""


def kernels_by_code(facts: Facts, pieces: LaunchIdle) -> Iterator[CodeKernels]:
    """For each code that a piece of idle ended in, most idle first.

    Args:
        facts: Of the window.
        pieces: The idle; each piece belongs to the code of the launch that ended it.
    """
    host = facts.places
    idle_of = _by_place(_places(facts, host, pieces.launch))
    kernels = _kernels_alone(facts)
    of_kernel = facts.work.launch[kernels]
    kernels_of = _by_place(_places(facts, host, of_kernel))
    length = (facts.work.end_ns - facts.work.start_ns)[kernels]
    slices = facts.trace.slices
    compiled = are_compiled(facts, kernels)
    ops = host.ops_on(slices.lane[of_kernel].astype(np.int64), slices.start_ns[of_kernel])
    found = []
    for place, at in idle_of.items():
        idle = Intervals(pieces.idle.start_ns[at], pieces.idle.end_ns[at])
        mine = kernels_of[place]
        if len(mine):
            launching = ops[mine]
            found.append(
                CodeKernels(
                    place=place,
                    kernels=len(mine),
                    ops=len(distinct(launching[launching != NONE])),
                    median_kernel_ns=int(median(length[mine])),
                    is_compiled=2 * int(compiled[mine].sum()) > len(mine),
                    idle=idle,
                    work=kernels[mine],
                )
            )
    found.sort(key=lambda code: (-int((code.idle.end_ns - code.idle.start_ns).sum()), code.place))
    yield from found


def _kernels_alone(facts: Facts) -> Int64s:
    """Those in steps that were launched one by one: of a CUDA graph, one call launches them all."""
    inside = facts.kernels_in_steps
    _, which = distinct_places(facts.work.launch[inside])
    alone: Int64s = inside[np.bincount(which)[which] == 1]
    return alone


def _places(facts: Facts, host: HostPlaces, launches: Int64s) -> list[str]:
    slices = facts.trace.slices
    lane = slices.lane[launches].astype(np.int64)
    of_autograd = facts.steps.recorded & ~is_among(lane, facts.steps.lanes)
    code = host.code_on(lane, slices.start_ns[launches])
    return [
        BACKWARD if backward and not place else place
        for place, backward in zip(code, of_autograd.tolist(), strict=True)
    ]


def _by_place(places: list[str]) -> defaultdict[str, Int64s]:
    """The positions at which each place stands, ascending."""
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    number = np.fromiter(map(numbers.__getitem__, places), np.int32, len(places))
    order = np.argsort(number, kind="stable")
    bounds = np.searchsorted(number[order], np.arange(1, len(numbers)))
    found = zip(numbers, np.split(order, bounds), strict=False)
    return defaultdict(lambda: np.empty(0, np.int64), found)
