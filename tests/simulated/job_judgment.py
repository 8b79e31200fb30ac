"""What the analysis says of a simulated job, held against the same job without its cause."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from statistics import median

from job_program import Collective, Job, Kernel, StepBegin
from job_recording import record_job
from job_records import records_of
from random_jobs import drawn_job, mixed_job, random_job
from simulated_job import RankRun, simulate

from tbprof.job.late_ranks import LateRank
from tbprof.job.rank_record import Part, RankRecord, record_of_report
from tbprof.job.what_if_times import JobAnalysis, StepEstimate, analyze_ranks

MATTERS = 0.02
"""Of a step: a cause that costs less is not looked for."""

CLEARLY = 1.5
"""Of two causes that cost nearly the same neither is the wrong one to name."""

_Family = tuple[str, str, str | None]

_FAMILIES: dict[str, _Family] = {
    "sync": ("idle", "sync", None),
    "loader": ("idle", "data", None),
    "gc": ("idle", "launch", None),
    "slow device": ("computing", "", "slower"),
    "uneven work": ("computing", "", "more"),
}


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """One step in which a cause mattered."""

    family: str
    style: str
    ranks: int
    step: int
    is_rank_right: bool
    is_family_right: bool
    is_line_right: bool | None
    """None where the cause has no line."""
    error: float | None
    """Of the step without the late rank; None without an estimate, or in the first step."""
    is_inside: bool | None
    said: LateRank
    estimate: StepEstimate | None
    true_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class JudgedJob:
    family: str
    analysis: JobAnalysis
    steps: tuple[JudgedStep, ...]
    """Those in which its cause cost something."""


def judge_job(seed: int, *, through_traces: bool = False) -> JudgedJob:
    """Analyze the job of a seed, and judge what was said of each step.

    Args:
        seed: Of the job.
        through_traces: Whether traces are written and read, instead of records that hold what happened.
    """
    job = random_job(seed)
    runs = simulate(job, seed)
    analysis = analyze_ranks(_recorded(job, runs) if through_traces else records_of(job, runs))
    now = _step_times(job, runs)
    true = _step_times(job, simulate(random_job(seed, with_cause=False), seed))
    judged = tuple(
        _judged(job, analysis, late, true[late.step])
        for late in analysis.late
        if now[late.step] - true[late.step] > MATTERS * now[late.step]
        and late.step in job.seeded.rank_of_step
    )
    return JudgedJob(job.seeded.family, analysis, judged)


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """One step in which balanced work would have gained something."""

    is_more_work: bool
    """Whether that is said to be why a rank with most to do was late."""
    inputs_error: float | None
    """Of how much larger its inputs are said to be than the median of the others'; None without shapes."""
    is_inside: bool | None
    """Whether the gain of balanced work is in its bracket; None in the first step."""


def judge_drawn_job(seed: int, size: int) -> list[DrawnStep]:
    """Analyze a job in which each rank draws what it has to do, and run it with balanced work."""
    job = drawn_job(seed, size)
    runs = simulate(job, seed)
    analysis = analyze_ranks(records_of(job, runs))
    now = _step_times(job, runs)
    balanced = _step_times(job, simulate(drawn_job(seed, size, is_balanced=True), seed))
    assert analysis.estimates is not None, "all collectives are matched"
    estimates = {one.step: one for one in analysis.estimates.steps if one.step > job.warm_up}
    found = []
    for late in analysis.late:
        gain = now[late.step] - balanced[late.step]
        if gain <= MATTERS * now[late.step]:
            continue
        estimate = estimates.get(late.step)
        inputs = [inputs_of(job, late.step, rank) for rank in range(size)]
        most, own = max(inputs), inputs.pop(late.rank)
        found.append(
            DrawnStep(
                is_more_work=own >= (1 - MATTERS) * most and _is_family(late, _FAMILIES["uneven work"], ""),
                inputs_error=None if late.inputs is None else abs(late.inputs * median(inputs) / own - 1),
                is_inside=None
                if estimate is None
                else estimate.balance_floor_ns <= gain <= estimate.balance_ceiling_ns,
            )
        )
    return found


def inputs_of(job: Job, step: int, rank: int) -> int:
    """The elements of a rank's products in a step."""
    at, found = -1, 0
    for action in job.ranks[rank]:
        if isinstance(action, StepBegin):
            at = action.number
        if at == step and isinstance(action, Kernel) and action.op == "aten::mm":
            found += action.elements
    return found


@dataclass(frozen=True, slots=True)
class MixedStep:
    """One step in which two causes made the same rank late."""

    families: tuple[str, str]
    """The one that costs more first."""
    costs_ns: tuple[int, int]
    """Their shares of what the step is longer by, which add up to that."""
    is_largest_named: bool
    """Whether it is the cause, or the one that is said to be nearly as large."""
    named_share: float
    """What is said to be its share of the lateness."""
    said: LateRank


def judge_mixed_job(seed: int, *, through_traces: bool = False) -> tuple[MixedStep, ...]:
    """The steps in which one cause costs clearly more, by running the job with each and without.

    Two causes may hide one another: the cost of one is the mean of what it adds to a step without the other,
    and to one with it.
    """
    job = mixed_job(seed)
    runs = simulate(job, seed)
    analysis = analyze_ranks(_recorded(job, runs) if through_traces else records_of(job, runs))
    now = _step_times(job, runs)
    first, second, neither = (
        _step_times(job, simulate(mixed_job(seed, without=some), seed))
        for some in (("second",), ("first",), ("first", "second"))
    )
    steps = []
    for late in analysis.late:
        if late.step not in job.seeded.rank_of_step:
            # What a late rank of the step before delays.
            continue
        both, only_first, only_second, none = (times[late.step] for times in (now, first, second, neither))
        together, apart = both - none, only_first - only_second
        costs = (together + apart) // 2, (together - apart) // 2
        if max(costs) <= MATTERS * now[late.step] or max(costs) < CLEARLY * max(min(costs), 0):
            continue
        steps.append(_mixed(job, late, costs))
    return tuple(steps)


def _mixed(job: Job, late: LateRank, costs: tuple[int, int]) -> MixedStep:
    assert job.second is not None, "a mixed job has two"
    (most, most_ns), (other, other_ns) = sorted(
        zip((job.seeded, job.second), costs, strict=True), key=lambda one: -one[1]
    )
    return MixedStep(
        families=(most.family, other.family),
        costs_ns=(most_ns, other_ns),
        is_largest_named=late.rank == most.rank_of_step.get(late.step)
        and any(
            _is_family(said, _FAMILIES[most.family], most.line)
            for said in (late, replace(late, cause=late.near_cause))
        ),
        named_share=late.cause_share,
        said=late,
    )


def _recorded(job: Job, runs: tuple[RankRun, ...]) -> list[RankRecord]:
    found = [record_of_report(built.report(), rank) for rank, built in enumerate(record_job(job, runs))]
    return [record for record in found if record is not None]


def line_of(cause: Part | None) -> str:
    """A frame's file and line, however it is spelled; "" where the cause has none."""
    if cause is None or cause.family != "idle":
        return ""
    frame = re.fullmatch(r"(.+)\((\d+)\): .+", cause.name)
    return cause.name if frame is None else f"{frame[1]}:{frame[2]}"


def _is_family(late: LateRank, family: _Family, line: str) -> bool:
    """What a trace shows of a sync is idle after it for as long as it explains; the host's work goes on."""
    cause = late.cause
    if cause is None:
        return False
    if family == _FAMILIES["sync"] and cause.cause == "launch" and line_of(cause) == line:
        return True
    return (cause.family, cause.cause, late.computing if cause.family == "computing" else None) == family


def _step_times(job: Job, runs: tuple[RankRun, ...]) -> dict[int, int]:
    """From the last collective of a step to that of the next."""
    ends: dict[int, int] = {}
    for run in runs:
        for row in run.rows:
            if isinstance(row.action, Collective):
                ends[row.step] = max(ends.get(row.step, 0), row.end_ns)
    return {step: end - ends[step - 1] for step, end in ends.items() if step >= job.warm_up}


def _judged(job: Job, analysis: JobAnalysis, late: LateRank, true_ns: int) -> JudgedStep:
    seeded = job.seeded
    family = _FAMILIES[seeded.family]
    estimates = analysis.estimates.steps if analysis.estimates is not None else ()
    estimate = next((one for one in estimates if one.step == late.step > job.warm_up), None)
    style = next(iter(job.traits - {seeded.family}))
    return JudgedStep(
        family=seeded.family,
        style=style,
        ranks=len(job.ranks),
        step=late.step,
        is_rank_right=late.rank == seeded.rank_of_step[late.step],
        is_family_right=_is_family(late, family, seeded.line),
        is_line_right=None if not seeded.line else line_of(late.cause) == seeded.line,
        error=None if estimate is None else abs(estimate.without_ns / true_ns - 1),
        is_inside=None if estimate is None else _is_inside(estimate, true_ns),
        said=late,
        estimate=estimate,
        true_ns=true_ns,
    )


def _is_inside(estimate: StepEstimate, true_ns: int) -> bool:
    return estimate.floor_ns <= estimate.now_ns - true_ns <= estimate.ceiling_ns
