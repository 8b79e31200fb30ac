"""Where the devices' time in the steps goes by kind of operator, and how near its limit each kind is.

Which calls compute again in the backward pass what the forward pass did not keep (checkpointing).

autograd records them as a forward pass, inside one of its functions. It does the same for a backward pass
that is to be differentiated again (`create_graph`), which looks the same here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.calls import GRAPH_LAUNCH
from tbprof.analysis.copy_kinds import DIRECTIONS, copy_kinds
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import climbed, outermost
from tbprof.analysis.figures.operator_limits import FLOPS_A_NS, Limits, find_limits, peak_rate
from tbprof.analysis.figures.operators import Operators, find_operators
from tbprof.analysis.intervals import total_ns
from tbprof.analysis.limits.formulas import FAMILY_OF
from tbprof.analysis.limits.inputs import FAMILIES, Family
from tbprof.analysis.names import are_named, match
from tbprof.model import Computing, ComputingPart, HealthFact
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tensor_cores import CONVOLUTION, PRODUCT, is_on_tensor_cores

_KINDS = (*FAMILIES, "communication", "copies", "graph", "compiled", "other")
_COMMUNICATION, _COPIES, _GRAPH, _COMPILED, _OTHER = range(len(FAMILIES), len(_KINDS))
_PRODUCTS = [_KINDS.index(kind) for kind in ("matmul", "convolution", "attention")]
_OVER_THE_BUS = [DIRECTIONS.index(name) for name in ("HtoD", "DtoH")]
_BY_NAME: tuple[tuple[Family, Callable[[str], object]], ...] = (
    ("matmul", lambda name: PRODUCT.search(name) or is_on_tensor_cores(name)),
    ("convolution", CONVOLUTION.search),
    ("element-wise", re.compile(r"elementwise_kernel|multi_tensor_apply").search),
    ("reduction", re.compile(r"reduce_kernel").search),
    ("normalization", re.compile(r"softmax|(?:layer|rms|batch|group)_?norm", re.IGNORECASE).search),
)
_OF_COMPILER = r"triton_(?:poi|red|per|tem|for)_"
"""Kernels that torch.compile writes: of point-wise operators, reductions, products, or several at once."""

COVERED_PRODUCTS = 0.95
"""The share of the time of products below which the utilization would be too small to be shown."""


def computing_totals(facts: Facts) -> Computing | None:
    """The computing of the steps, or of the window without them; None where no device is known."""
    if not facts.device_is_known:
        return None
    found = _Computed.of(facts)
    parts = tuple(sorted(found.parts(), key=lambda part: -part.device_ns))
    own = [part for part in parts if part.kind not in ("communication", "copies")]
    covered, flops = sum(part.covered_ns for part in own), sum(part.flops for part in own)
    computing = sum(part.device_ns for part in own)
    peaks = found.limits.peaks
    above = None if peaks is None or not covered else sum(part.above_limit_ns or 0 for part in own)
    limit = None if above is None else sum(part.limit_ns or 0 for part in own)
    return Computing(
        device=None if peaks is None else peaks.name,
        device_ns=sum(part.device_ns for part in parts),
        computing_ns=computing,
        covered_ns=covered,
        flops=flops,
        bytes=sum(part.bytes for part in own),
        limit_ns=limit,
        above_limit_ns=above,
        reached_tflops=flops / covered / FLOPS_A_NS if covered else None,
        limit_tflops=flops / limit / FLOPS_A_NS if limit else None,
        mfu=found.utilization(),
        uncovered_share=1 - covered / computing if computing else 0.0,
        parts=parts,
    )


def computing_health(facts: Facts) -> tuple[HealthFact, ...]:
    """The codes, each with its numbers:

    - `shapes_not_true`: calls whose shapes would take the device far longer than they took.
    - `all_far_from_limits`: all operators that run for long take over ten times as long as they could.
    """
    if not facts.device_is_known:
        return ()
    untrue = facts.once(find_limits).untrue
    found = [HealthFact("shapes_not_true", "warning", {"calls": untrue})] if untrue else []
    return (*found, *_far_from_limits(facts))


_LONG_NS = 50_000
"""Shorter kernels are no measure of a device's rates."""
_FAR = 0.1
_FEWEST = 3
_LARGE = 0.05
_MUCH = 0.5


def _far_from_limits(facts: Facts) -> Iterator[HealthFact]:
    """Kernels of all kinds that are slow at once show a slow device, and no slow program."""
    limits, operators, main = facts.once(find_limits), facts.once(find_operators), facts.work.main_device
    if limits.peaks is None or main is None:
        return
    # What lies in a covered call has its time there, too.
    own = (limits.covering == np.arange(len(operators))) & (limits.covered_ns >= _LONG_NS)
    name, which = np.unique(facts.trace.slices.name[operators.rows[own]], return_inverse=True)
    took, limit = np.zeros(len(name), np.int64), np.zeros(len(name), np.int64)
    np.add.at(took, which, limits.covered_ns[own])
    np.add.at(limit, which, limits.limit_ns[own])
    large = took >= _LARGE * took.sum()
    busy_ns = total_ns(facts.work.busy[main])
    is_much = len(name) > 0 and took.sum() >= _MUCH * busy_ns
    if is_much and large.sum() >= _FEWEST and (limit[large] < _FAR * took[large]).all():
        best = float((limit[large] / took[large]).max())
        yield HealthFact(
            "all_far_from_limits", "warning", {"operators": int(large.sum()), "best_share": best}
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Computed:
    facts: Facts
    operators: Operators
    limits: Limits
    work_kind: Int64s
    """An index into `_KINDS` for each entry of `Facts.work` in the steps, `NONE` for all others."""
    call_kind: Int64s
    """The same for each call that a formula covers, inside the steps and in no other such call; else
    `NONE`."""

    @classmethod
    def of(cls, facts: Facts) -> _Computed:
        operators = facts.once(find_operators)
        limits = facts.once(find_limits)
        trace = facts.trace
        families = np.array(
            [FAMILIES.index(FAMILY_OF[name]) if name in FAMILY_OF else NONE for name in trace.names], np.int8
        )
        family = families[trace.slices.name[operators.rows]]
        named = outermost(operators.parent, family != NONE)
        call_kind = np.where(limits.covering == np.arange(len(named)), _at(family, named), NONE)
        call_kind[operators.step == NONE] = NONE
        return cls(facts, operators, limits, _work_kinds(facts, operators, family, named), call_kind)

    def parts(self) -> list[ComputingPart]:
        """The parts that took any time."""
        work, limits, has_limit = self.facts.work, self.limits, self.limits.peaks is not None
        length = work.end_ns - work.start_ns
        counted = self.call_kind != NONE
        found = []
        for kind in distinct(self.work_kind[self.work_kind != NONE]).tolist():
            mine = counted & (self.call_kind == kind)
            device_ns = int(length[self.work_kind == kind].sum())
            covered = min(int(limits.covered_ns[mine].sum()), device_ns)
            found.append(
                ComputingPart(
                    kind=_KINDS[kind],
                    device_ns=device_ns,
                    covered_ns=covered,
                    flops=int(limits.timed_flops[mine].sum()),
                    bytes=int(limits.timed_bytes[mine].sum()),
                    limit_ns=min(int(limits.limit_ns[mine].sum()), covered)
                    if covered and has_limit
                    else None,
                    above_limit_ns=min(int(limits.above_ns[mine].sum()), covered)
                    if covered and has_limit
                    else None,
                )
            )
        return found

    def utilization(self) -> float | None:
        """The products of the model, those computed again left out, at the peak rate; over the steps."""
        facts, limits, peaks = self.facts, self.limits, self.limits.peaks
        if peaks is None or not facts.steps.recorded or not self._products_are_covered():
            return None
        calls = np.flatnonzero(
            (self.call_kind != NONE)
            & (limits.covered_ns > 0)
            & (limits.costs.kind != NONE)
            & ~recomputed_calls(facts.trace, self.operators)
        )
        used = self.operators.tensor_total_ns[calls] > 0
        counts = np.bincount(limits.costs.kind[calls] * 2 + used)
        at_peak_ns = []
        for pair in np.flatnonzero(counts).tolist():
            cost, is_used = limits.costs.costs[pair // 2], pair % 2 == 1
            rate = peak_rate(cost, peaks, used=is_used) if cost.on_matrix_units else None
            if rate is not None:
                at_peak_ns.append(
                    int(counts[pair]) * (cost.flops - cost.repeated_flops) / (rate * FLOPS_A_NS)
                )
        steps_ns = facts.steps.total_ns * len(facts.work.devices)
        # Exactly rounded, so that the order of the file's events does not matter.
        at_peak = math.fsum(at_peak_ns)
        # More than the device can is not what it did.
        return at_peak / steps_ns if 0 < steps_ns >= at_peak else None

    def _products_are_covered(self) -> bool:
        facts, work = self.facts, self.facts.work
        on_matrix_units = are_named(facts.trace, work.rows, is_on_tensor_cores)
        are_products = is_among(self.work_kind, _PRODUCTS) | (on_matrix_units & (self.work_kind != NONE))
        length = (work.end_ns - work.start_ns) * are_products
        covering = _at(self.limits.covering, self.operators.of_work)
        is_covered = _at(self.limits.covered_ns, covering) > 0
        return 0 < COVERED_PRODUCTS * int(length.sum()) <= int(length[is_covered].sum())


def _of(values: Int64s, covered_ns: int) -> int | None:
    """Their sum, a part of the time that is covered; None where nothing is."""
    return min(int(values.sum()), covered_ns) if covered_ns else None


def _work_kinds(facts: Facts, operators: Operators, family: npt.NDArray[np.int8], named: Int64s) -> Int64s:
    work = facts.work
    call = operators.of_work
    around = _at(named, call)
    kind = _at(family, around)
    kind[kind == NONE] = _OTHER
    rest = np.flatnonzero(kind == _OTHER)
    # Where no operator was recorded, as in most recordings of Nsight Systems, the kernel's name says it.
    bare = rest[call[rest] == NONE]
    for by_name, is_named in _BY_NAME:
        kind[bare[are_named(facts.trace, work.rows[bare], is_named)]] = _KINDS.index(by_name)
    kind[rest[match(facts.trace, work.rows[rest], _OF_COMPILER)]] = _COMPILED
    launched = rest[work.launch[rest] != NONE]
    kind[launched[match(facts.trace, work.launch[launched], GRAPH_LAUNCH)]] = _GRAPH
    is_copy = facts.trace.slices.category[work.rows] == Category.MEMCPY
    copies = np.flatnonzero(is_copy)
    direction, _ = copy_kinds(facts.trace, work, work.launch[copies], copies)
    kind[copies[is_among(direction, _OVER_THE_BUS)]] = _COPIES
    kind[facts.parts.is_communication] = _COMMUNICATION
    step = _at(operators.step, np.where(around == NONE, call, around))
    alone = call == NONE
    by_call = alone & (work.launch != NONE)
    step[by_call] = facts.steps.index_of(work.launch_start_ns[by_call])
    return np.where(step == NONE, NONE, kind)


def _at(values: npt.NDArray[np.integer], at: Int64s) -> Int64s:
    found = np.full(len(at), NONE, np.int64)
    known: npt.NDArray[np.bool_] = at != NONE
    found[known] = values[at[known]]
    return found


def recomputed_calls(trace: Trace, operators: Operators) -> npt.NDArray[np.bool_]:
    """One entry a call; without the table `autograd` of the trace none is known."""
    if trace.autograd is None or len(operators) == 0:
        return np.zeros(len(operators), np.bool_)
    number = trace.autograd.autograd_number.at(operators.rows)
    is_backward = trace.autograd.forward_thread.at(operators.rows) > 0
    is_numbered = number >= 0
    nearest = climbed(np.where(is_numbered, np.arange(len(number)), operators.parent), is_numbered)
    known = nearest != NONE
    found = np.zeros(len(operators), np.bool_)
    inside = climbed(operators.parent, is_backward) != NONE
    found[known] = ~is_backward[nearest[known]] & inside[nearest[known]]
    return found
