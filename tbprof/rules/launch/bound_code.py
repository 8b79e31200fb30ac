"""Findings of code whose kernels are so short that the host can't keep up: what two rules share.

Code whose kernels are so short that launching them takes longer than running them.

Code is a label or a function of the user, the innermost around the launch. What autograd launches
lies in none and is called `BACKWARD`; what no name is known for is under "".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import numpy as np

from tbprof.analysis.attribution.host_code import HostPlaces
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import records_frames
from tbprof.analysis.figures.idle_places import LONG_PAUSE_NS, LaunchIdle, find_launch_idle, largest_cause
from tbprof.analysis.figures.item_loops import in_costly_loops
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, are_within, total_ns
from tbprof.model import CRITICAL_SHARE, MEDIUM_SHARE, SEVERITIES, Finding, Saving, Severity
from tbprof.records import dataclass
from tbprof.rules.base.computing import typical_ns
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding, with_remedy
from tbprof.rules.base.launching import gaps_ns, launching
from tbprof.rules.base.origin import origin_of
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.launch.compiled_launches import are_compiled
from tbprof.rules.launch.words import BoundCode
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, is_among, median

SHORT_KERNEL_NS = 10_000
"""A kernel shorter than this is over before the host has launched another op (as in TraceLens)."""

MANY_KERNELS = 1000
"""The number of kernels in a step that keeps the host busy for 10 ms of it, whatever their length."""

_FEWEST_KERNELS = 8
"""Fewer kernels in all steps are not worth a graph, nor a compiler."""
_MAX_PLACES = 3


def find_bound_code(facts: Facts, rule: str, *, compiled: bool) -> Iterator[Finding]:
    """The places whose kernels come from compiled code for the most part, or all others."""
    main = facts.work.main_device
    if main is None or 2 * facts.empty_idle_ns < int(facts.idle.by_device[main].device_ns.sum()):
        return
    bound = facts.once(_bound_codes)
    mine = (code for code in bound if code.is_compiled == compiled and not (compiled and code.is_replayed))
    for code in islice(mine, _MAX_PLACES):
        yield _finding(facts, rule, code)


def _bound_codes(facts: Facts) -> tuple[CodeKernels, ...]:
    """Most idle first; so much idle that no code holds for itself is that of the worst of them.

    A single kernel a step waits for its launch, too, but not because there are too many.
    """
    pieces = facts.once(find_launch_idle).short()
    codes = [code for code in kernels_by_code(facts, pieces) if code.kernels > len(facts.steps)]
    bound = tuple(code for code in codes if _is_bound(facts, code))
    if bound or typical_ns(facts, pieces.idle) < CRITICAL_SHARE * facts.steps.total_ns:
        return bound
    return tuple(codes[:_MAX_PLACES])


def _is_bound(facts: Facts, code: CodeKernels) -> bool:
    """However long its kernels are, they are too short for a host that leaves so much idle between them."""
    small = code.median_kernel_ns < SHORT_KERNEL_NS or code.kernels > MANY_KERNELS * len(facts.steps)
    least = MEDIUM_SHARE if small else CRITICAL_SHARE
    return typical_ns(facts, code.idle) >= least * facts.steps.total_ns


def _finding(facts: Facts, rule: str, code: CodeKernels) -> Finding:
    idle_ns = typical_ns(facts, code.idle)
    seen = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=idle_ns)
    host_ns = earlier_host_ns(facts, launching(facts, code.work, LONG_PAUSE_NS))
    won_ns = max(total_ns(code.idle), host_ns + gaps_ns(facts, code.work))
    steps = len(facts.steps)
    found = window_finding(
        rule,
        place=code.place,
        severity=_severity(facts, seen),
        count=code.kernels,
        removal="rewrite",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=won_ns),
        confidence="low" if records_frames(facts) else "medium",
        evidence=idle_evidence(facts, code.idle),
        figures=BoundCode(
            place=code.place,
            kernels_per_step=round(code.kernels / steps, 1),
            median_kernel_ns=code.median_kernel_ns,
            ops_per_step=round(code.ops / steps, 1),
            idle_per_step_ns=idle_ns // steps,
            graph_blockers=_graph_blockers(facts),
        ),
    )
    origin = "" if code.place else origin_of(facts, code.work, np.ones(len(code.work), np.int64))
    return with_remedy(found, origin=origin)


def _graph_blockers(facts: Facts) -> int:
    """Sites with a sync point in a step: none of them can be part of a CUDA graph."""
    return sum(bool(facts.can_be_won[site.members].any()) for site in facts.sites)


def _severity(facts: Facts, saving: Saving) -> Severity:
    severity = severity_of_cause(facts, saving)
    if largest_cause(facts) != "launch" or len(facts.kernels_in_steps) < _FEWEST_KERNELS:
        return max(severity, "low", key=SEVERITIES.index)
    idle = facts.once(find_launch_idle)
    if total_ns(idle.long().idle) > total_ns(idle.short().idle):
        return max(severity, "medium", key=SEVERITIES.index)
    return severity


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
    is_replayed: bool
    """Whether graphs launch more kernels here than it does one by one."""
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
    graphs, number = _graphs(facts)
    graphs_of = _by_place(_places(facts, host, graphs))
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
                    is_replayed=int(number[graphs_of[place]].sum()) > len(mine),
                    idle=idle,
                    work=kernels[mine],
                )
            )
    found.sort(key=lambda code: (-int((code.idle.end_ns - code.idle.start_ns).sum()), code.place))
    yield from found


def _kernels_alone(facts: Facts) -> Int64s:
    """The kernels in steps that were launched one by one, in no loop over items: of a CUDA graph, one call
    launches them all.
    """
    inside = facts.kernels_in_steps
    _, which = distinct_places(facts.work.launch[inside])
    alone: Int64s = inside[np.bincount(which)[which] == 1]
    in_loops = are_within(facts.work.launch_start_ns[alone], facts.once(in_costly_loops))
    return alone[~in_loops]


def _graphs(facts: Facts) -> tuple[Int64s, Int64s]:
    """The calls in steps that launch several kernels at once, and how many each."""
    launches, which = distinct_places(facts.work.launch[facts.kernels_in_steps])
    number = np.bincount(which, minlength=len(launches))
    return launches[number > 1], number[number > 1]


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
