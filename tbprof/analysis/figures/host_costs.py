"""Where the operators of a recording without work of a GPU ran, and which of them take the time.

Apple's GPU and a program that was recorded without its GPU leave the same file as a CPU does. Operators that
exist on one of them only tell it, and so does how long one takes: a CPU reads a number in a microsecond, and
an operator that only launches is over in a hundred. What a loader computes on the CPU tells nothing of the
model.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import missing_device
from tbprof.analysis.figures.module_table import module_table
from tbprof.analysis.figures.operator_table import find_operator_figures
from tbprof.analysis.figures.operators import find_operators
from tbprof.analysis.intervals import are_within, union
from tbprof.analysis.names import match, matching_names, matching_rows
from tbprof.model import HealthFact
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, median
from tbprof.trace.columns.columns import Category

RanOn: TypeAlias = Literal["cpu", "mps", "unseen", "unknown"]
"""`unseen` is a device of another kind that the recording does not show."""

_ON_MPS = r"aten::(?:\w*_for_mps\b|_?mps_|_?lstm_mps)"
_MOST_LIKELY_ON_MPS = r"aten::(?:linear_backward|max_pool2d_backward)$"
"""Beside nested tensors, no other device has them (`native_functions.yaml` of torch 2.13)."""
_NESTED = r"aten::_?nested"
_ON_CPU = r"(?:aten::\w*mkldnn|mkldnn|onednn|aten::\w+_for_cpu\b)"
_READ = r"aten::_local_scalar_dense"
_WAITS = r"aten::(?:_local_scalar_dense|item|is_nonzero|nonzero|copy_|to|_to_copy|empty)|.*cudnn"
"""What may last on a device's account."""
_ON_DEVICE = r"(?:nccl|rccl):|aten::(?:record_stream$|_?cudnn_(?!is_acceptable)|miopen_|_flash_attention_)"
"""Ranges and ops that only a program with a GPU has; whether cuDNN would do is asked on a CPU, too."""
_OF_MODEL = (
    r"aten::(?:\w*(?:conv(?:olution|\dd)|mm_?$|matmul|attention|backward)|(?:\w+_)?(?:linear|lstm|gru|mv|dot)$)"
    r"|autograd::|\w+Backward\d|mkldnn|onednn"
)
"""What a model has, and a loader hardly."""
_LONG_READ_NS = 100_000
_LONG_NS = 1_000_000
_SEVERAL = 3
"""Libraries are loaded in the first call of an operator, or in two."""
_MUCH = 0.1
_MOST = 0.5


@dataclass(frozen=True, slots=True)
class WhereRan:
    device: RanOn
    reads: int = 0
    """Reads of a number that are too long for a CPU."""
    reads_ns: int = 0


@dataclass(frozen=True, slots=True)
class HostCost:
    """An operator, or a module, with its own time in the steps."""

    name: str
    own_ns: int
    share: float
    """A part of the time of all operators; for a module, of all that the host did."""


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """The operators of the steps, one entry a call."""

    rows: Int64s
    own_ns: Int64s


def where_operators_ran(facts: Facts) -> WhereRan:
    """On which device, as far as their names and times tell."""
    calls = _outside_loader(facts)
    whole_ns = max(int(calls.own_ns.sum()), 1)

    def own_ns(pattern: str) -> Int64s:
        found: Int64s = calls.own_ns[match(facts.trace, calls.rows, pattern)]
        return found

    has_gpu = bool(matching_names(facts.trace, _ON_DEVICE).any())
    on_cpu = not has_gpu and int(own_ns(_ON_CPU).sum()) >= max(_MUCH * whole_ns, 1)
    reads = own_ns(_READ)
    are_long = len(reads) > 0 and median(reads) >= _LONG_READ_NS
    waited = (len(reads), int(reads.sum())) if are_long else (0, 0)
    is_nested = len(own_ns(_NESTED)) > 0
    if len(own_ns(_ON_MPS)) or (len(own_ns(_MOST_LIKELY_ON_MPS)) and not is_nested and not on_cpu):
        return WhereRan("mps", *waited)
    if on_cpu:
        return WhereRan("cpu")
    if has_gpu or are_long:
        return WhereRan("unseen", *waited)
    return WhereRan("cpu" if _computes(facts, calls) else "unknown")


def runs_on_host(facts: Facts) -> bool:
    """Whether the window is whole and nothing in it ran on a device, or was meant to."""
    if facts.work.main_device is not None or missing_device(facts).case != "no_device":
        return False
    return facts.once(where_operators_ran).device not in ("mps", "unseen")


_NO_WORK = ("no_gpu_rows", "gpu_not_recorded")


def file_health(facts: Facts) -> tuple[HealthFact, ...]:
    """What the reader noted of the file; where no GPU worked, with what the operators ran on."""
    noted = facts.trace.health
    if not any(fact.code in _NO_WORK for fact in noted) or facts.trace.is_cut_off:
        return noted
    device = facts.once(where_operators_ran).device
    if device not in ("cpu", "mps"):
        return noted
    return tuple(
        replace(fact, severity="info", numbers={**fact.numbers, "ran_on": device})
        if fact.code in _NO_WORK
        else fact
        for fact in noted
    )


def _computes(facts: Facts, calls: _Calls) -> bool:
    """Whether operators hold most of the time that are too long for launches, a model's among them."""
    lasting = ~match(facts.trace, calls.rows, _WAITS)
    name, own_ns = facts.trace.slices.name[calls.rows[lasting]], calls.own_ns[lasting]
    all_ns = of_model_ns = 0
    for one in np.unique(name[own_ns >= _LONG_NS]).tolist():
        mine = own_ns[name == one]
        if len(mine) >= _SEVERAL and median(mine) >= _LONG_NS:
            all_ns += int(mine.sum())
            of_model_ns += int(mine.sum()) if re.match(_OF_MODEL, facts.trace.names[one]) else 0
    whole_ns = max(int(calls.own_ns.sum()), 1)
    return all_ns >= _MOST * whole_ns and of_model_ns >= _MUCH * whole_ns


def largest_operators(facts: Facts) -> tuple[HostCost, ...]:
    """The two with most time of their own."""
    calls = facts.once(_calls)
    spent_ns = np.zeros(len(facts.trace.names), np.int64)
    np.add.at(spent_ns, facts.trace.slices.name[calls.rows], calls.own_ns)
    whole_ns = max(int(calls.own_ns.sum()), 1)
    first = np.argsort(-spent_ns, kind="stable")[:2].tolist()
    return tuple(
        HostCost(facts.trace.names[at], int(spent_ns[at]), int(spent_ns[at]) / whole_ns)
        for at in first
        if spent_ns[at] > 0
    )


def largest_module(facts: Facts) -> HostCost | None:
    """The one with most time of its own; None where none is recorded."""
    steps = range(len(facts.steps)) if facts.steps.recorded else None
    table = module_table(facts, steps)
    if not table.names_parts:
        return None
    rows = table.rows
    at = max(range(len(rows)), key=lambda one: rows[one].own.host_ns if rows[one].kind == "module" else -1)
    if rows[at].kind != "module" or not rows[at].own.host_ns:
        return None
    names, around = [rows[at].name], rows[at].parent
    while around is not None and rows[around].kind == "module":
        names.insert(0, rows[around].name)
        around = rows[around].parent
    own_ns = rows[at].own.host_ns
    return HostCost(".".join(names), own_ns, own_ns / max(rows[0].total.host_ns, 1))


def _calls(facts: Facts) -> _Calls:
    operators = facts.once(find_operators)
    chosen: npt.NDArray[np.bool_] = operators.step != NONE
    if not facts.steps.recorded:
        chosen[:] = True
    own_ns = facts.once(find_operator_figures).host_self_ns
    return _Calls(operators.rows[chosen], own_ns[chosen])


def _outside_loader(facts: Facts) -> _Calls:
    """The calls that are not made within a data loader."""
    calls, slices = facts.once(_calls), facts.trace.slices
    loading = matching_rows(facts.trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)
    during = union(slices.start_ns[loading], slices.end_of(loading))
    chosen = ~are_within(slices.start_ns[calls.rows], during)
    return _Calls(calls.rows[chosen], calls.own_ns[chosen])
