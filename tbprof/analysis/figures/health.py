"""What to know before the figures are trusted, as far as the analysis can see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from tbprof.analysis.device_work import (
    allocating_devices,
    device_name,
    holds_only_allocations,
)
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, are_within, intersect, overlap_ns, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.analysis.steps import LAG_SHARE, gpu_lag_ns, lag_in_steps
from tbprof.model import HealthFact, HealthSeverity, HookFacts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import OTHER_ACCELERATORS, STEP_PREFIX


def health_facts(facts: Facts) -> tuple[HealthFact, ...]:
    """The codes, each with its numbers:

    - `no_steps`: the trace marks no steps, or none that has a length.
    - `cold_steps`: steps left out of medians.
    - `gpu_lag`: the device ends its steps late, and whether the steps of the report are its own.
    - `copies_without_call`: device copies that no copy call of the trace started (a graph did, or
      a call before the window); no copies by our count.
    - `calls_cut`: calls that ran on where another one of their thread had begun.
    - `calls_without_record`: copy calls that blocked and have no device row.
    - `no_launching_operators`: the threads that launch recorded no operators, and others did.
    - `no_stacks`: sites have no source, since no Python frames were recorded.
    - `no_user_frames`: sites have no source, and none of the recorded frames is the user's.
    - `no_audit_step`: the hook was to record lines and could not, with the `reason` as a code.
    - `only_warned_lines`: it recorded those that CUDA itself warned of, and no others.
    - `mean_lines`: steps take turns, and lines are counted in the mean of a cycle.
    - `lines_not_exact`: sync points and copies whose line the recorded ones leave open.

    What the file itself lost is said by its reader; what is to be known of the run, `run_health`.
    """
    return tuple(_found(facts))


def _found(facts: Facts) -> Iterator[HealthFact]:
    yield from _steps(facts)
    yield from _joins(facts)
    yield from _launching(facts)
    slices = facts.trace.slices
    if facts.sites and all(site.source is None for site in facts.sites):
        has_frames = bool((slices.category == Category.PYTHON).any())
        yield HealthFact("no_user_frames" if has_frames else "no_stacks", "info", {})
    yield from _lines(facts)
    yield from run_health(facts)


def _steps(facts: Facts) -> Iterator[HealthFact]:
    steps = facts.steps
    if not steps.recorded:
        marked = len(matching_rows(facts.trace, STEP_PREFIX, Category.USER_ANNOTATION))
        yield HealthFact("no_steps", "info", {"without_length": marked} if marked else {})
        return
    if any(steps.cold):
        yield HealthFact("cold_steps", "info", {"cold": sum(steps.cold), "steps": len(steps)})
    lag = gpu_lag_ns(facts.work, steps)
    if lag is None:
        return
    share = lag / np.maximum(steps.end_ns - steps.start_ns, 1)
    late = int((share > LAG_SHARE).sum())
    if late:
        worst = int(np.argmax(share))
        numbers = {"steps": late, "worst_us": int(lag[worst]) / 1000, **lag_in_steps(float(share[worst]))}
        severity: HealthSeverity = "info" if steps.of_device else "warning"
        yield HealthFact("gpu_lag", severity, {**numbers, "of_device": int(steps.of_device)})


def _joins(facts: Facts) -> Iterator[HealthFact]:
    work, calls = facts.work, facts.calls
    copied = work.launch[facts.trace.slices.category[work.rows] == Category.MEMCPY]
    strangers = int((~is_among(copied, calls.rows[calls.is_copy])).sum())
    if strangers:
        yield HealthFact("copies_without_call", "info", {"copies": strangers})
    if calls.cut:
        yield HealthFact("calls_cut", "warning", {"calls": calls.cut})
    bare = facts.episodes.is_copy & (facts.episodes.record == NONE)
    if bare.any():
        yield HealthFact("calls_without_record", "info", {"calls": int(bare.sum())})


def _launching(facts: Facts) -> Iterator[HealthFact]:
    others = int((facts.trace.slices.category == Category.CPU_OP).sum())
    if others and not knows_launching_code(facts):
        yield HealthFact("no_launching_operators", "warning", {"others": others})


def _lines(facts: Facts) -> Iterator[HealthFact]:
    audit = None if facts.trace.facts is None else facts.trace.facts.audit
    if audit is None:
        return
    if audit.left_out:
        reason = {"reason": audit.left_out}
        yield HealthFact("only_warned_lines" if audit.calls else "no_audit_step", "info", reason)
    if audit.steps > 1:
        yield HealthFact("mean_lines", "info", {"steps": audit.steps})
    if not audit.calls or not facts.sites:
        return
    open_ = sum(len(site.members) for site in facts.sites if site.source is None or not site.source.exact)
    if open_:
        yield HealthFact("lines_not_exact", "info", {"episodes": open_, "of": len(facts.episodes.first)})


_OPTIMIZER_STEP = r"Optimizer\.step#"
"""Torch labels each step of each optimizer so."""


def run_health(facts: Facts) -> Iterator[HealthFact]:
    """The codes, each with its numbers:

    - `inference`: the steps are those of a program that only infers.
    - `accumulation`: several steps make one of the optimizer, or a step goes back through
      the model several times.
    - `gpu_shared`: other processes are on the device.
    - `fact_missing`: a `fact` that the hook could not bring home, with the `reason`.
    """
    hook = facts.trace.facts
    if hook is not None and hook.phase == "inference":
        yield HealthFact("inference", "info", {})
    yield from _accumulation(facts, hook)
    if hook is not None and hook.other_gpu_processes:
        yield HealthFact("gpu_shared", "warning", {"processes": hook.other_gpu_processes})
    for missing in () if hook is None else hook.missing:
        yield HealthFact("fact_missing", "info", {"fact": missing.name, "reason": missing.reason})


def _accumulation(facts: Facts, hook: HookFacts | None) -> Iterator[HealthFact]:
    optimizer_steps = _optimizer_steps(facts)
    if optimizer_steps == 0:
        return
    if len(facts.steps) > optimizer_steps:
        numbers = {"steps": len(facts.steps), "optimizer_steps": optimizer_steps}
        yield HealthFact("accumulation", "info", numbers)
        return
    audit = None if hook is None else hook.audit
    # Several optimizers, as of a generator and a discriminator, go back once each.
    a_step = optimizer_steps // max(len(facts.steps), 1)
    if audit is not None and audit.backward_calls > a_step:
        numbers = {"backward_calls": audit.backward_calls, "optimizer_steps": a_step}
        yield HealthFact("accumulation", "info", numbers)


def _optimizer_steps(facts: Facts) -> int:
    """The number of optimizer steps within the steps; 0 where the trace marks no steps."""
    if not facts.steps.recorded:
        return 0
    rows = matching_rows(facts.trace, _OPTIMIZER_STEP, Category.USER_ANNOTATION)
    rows = rows[is_among(facts.trace.slices.lane[rows], facts.steps.lanes)]
    return int((facts.steps.index_of(facts.trace.slices.start_ns[rows]) != NONE).sum())


_LAUNCH = r"(?:cuda|hip)Launch|cuLaunch|hipModuleLaunch|hipExt\w*Launch|(?:cuda|hip)GraphLaunch"


MissingCase: TypeAlias = Literal["other_device", "cut_off", "lost_kernels", "only_allocations", "no_device"]


@dataclass(frozen=True, slots=True)
class MissingDevice:
    """Why a window has no work of a device."""

    case: MissingCase
    rows: int = 0
    """What there is instead: rows of another device, launches, or events of allocators."""
    devices: str = ""
    """The device or the allocators of these rows or events."""


def missing_device(facts: Facts) -> MissingDevice:
    """`other_device` where another kind worked, `cut_off` where the file ends before its time, `lost_kernels`
    where calls launched some, `only_allocations` where nothing else was recorded, or `no_device`.
    """
    for category in OTHER_ACCELERATORS:
        rows = int((facts.trace.slices.category == category).sum())
        if rows:
            return MissingDevice("other_device", rows, category.name)
    if facts.trace.is_cut_off:
        return MissingDevice("cut_off")
    calls = len(matching_rows(facts.trace, _LAUNCH, Category.RUNTIME))
    if calls:
        return MissingDevice("lost_kernels", calls)
    memory = facts.trace.memory
    if memory is not None and holds_only_allocations(facts.trace):
        names = (device_name(kind, number) for kind, number in allocating_devices(memory))
        return MissingDevice("only_allocations", len(memory), ", ".join(names))
    return MissingDevice("no_device")


def lacks_device_rows(facts: Facts) -> bool:
    """Whether the host's rows are whole and none of a device are there, whether one worked or not."""
    if facts.work.main_device is not None:
        return False
    return missing_device(facts).case in ("no_device", "lost_kernels")


_FEW_LAUNCHED = 20
"""So much is launched without an operator by a program that has a kernel or two of its own."""


def knows_launching_code(facts: Facts, during: Intervals | None = None) -> bool:
    """Whether operators, frames or ranges of the threads that launch were recorded; ranges alone say nothing
    of times `during` most of which they are not around.

    Else nobody knows what they do between two launches.
    """
    slices = facts.trace.slices
    lanes = slices.lane[facts.work.launch[facts.work.launch != NONE]]
    is_code = is_among(slices.category, (Category.CPU_OP, Category.PYTHON, Category.USER_ANNOTATION))
    is_code[matching_rows(facts.trace, STEP_PREFIX, Category.USER_ANNOTATION)] = False
    known = int(is_among(lanes, distinct(slices.lane[is_code])).sum())
    if len(lanes) - known > max(known, _FEW_LAUNCHED):
        return False
    mine = is_code & is_among(slices.lane, distinct(lanes))
    has_more = not mine.any() or bool((slices.category[mine] != Category.USER_ANNOTATION).any())
    if during is None or has_more:
        return True
    inside = intersect(during, union(slices.start_ns[mine], slices.end_of(np.flatnonzero(mine))))
    return 2 * total_ns(inside) >= total_ns(during)


FRAME_NS = 190
"""What recording a Python frame adds to its call: an empty function under `with_stack=True`
of torch 2.13, measured on a server's CPU. Slower ones pay more."""


@dataclass(frozen=True, slots=True)
class ProfilerCost:
    overhead_share: float
    """Part of the steps in which CUPTI worked on its own records, 0 to 1."""
    frames_share: float
    """Part of the steps that recording their Python frames took at least, 0 to 1."""
    measured: bool
    """Whether the hook timed steps with and without the profiler."""
    inflation: float
    """How much longer a recorded step took, 0.2 for a fifth; 0 where it was not measured."""


def find_profiler_cost(facts: Facts) -> ProfilerCost:
    slices, steps = facts.trace.slices, facts.steps
    total_ns = max(int((steps.end_ns - steps.start_ns).sum()), 1)
    own = own_work_rows(facts)
    spent = union(slices.start_ns[own], slices.end_of(own))
    inflation = _inflation(facts)
    return ProfilerCost(
        overhead_share=int(overlap_ns(spent, steps.start_ns, steps.end_ns).sum()) / total_ns,
        frames_share=_frames_in_steps(facts) * FRAME_NS / total_ns,
        measured=bool(inflation),
        inflation=max(inflation, default=0.0),
    )


def own_work_rows(facts: Facts) -> Int64s:
    """Rows in which CUPTI says that it worked on its own records."""
    return np.flatnonzero(facts.trace.slices.category == Category.OVERHEAD)


def records_frames(facts: Facts) -> bool:
    """Whether Python frames were recorded, which makes the host slower than it is."""
    return bool((facts.trace.slices.category == Category.PYTHON).any())


def _frames_in_steps(facts: Facts) -> int:
    slices, steps = facts.trace.slices, facts.steps
    on_lanes = is_among(slices.lane, facts.training_threads)
    begun = slices.start_ns[(slices.category == Category.PYTHON) & on_lanes]
    if not steps.recorded:
        return len(begun)
    return int(are_within(begun, union(steps.start_ns, steps.end_ns)).sum())


def _inflation(facts: Facts) -> list[float]:
    """The one figure, or none where the hook did not time both kinds of steps."""
    hook = facts.trace.facts
    if hook is None or hook.unprofiled_step_ns is None or hook.profiled_step_ns is None:
        return []
    return [hook.profiled_step_ns / max(hook.unprofiled_step_ns, 1) - 1]
