"""What the page of a job shows: all ranks of a run together. Times are us, means of a step unless said."""

from __future__ import annotations

from typing import Literal

from tbprof.model import Severity
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class JobSource:
    file: str
    line: int
    """Not `exact`: that of the `def`."""
    function: str
    exact: bool


@dataclass(frozen=True, slots=True)
class IdlePart:
    cause: str
    name: str
    idle_us: float


@dataclass(frozen=True, slots=True)
class JobRank:
    """The first five add up to the step: computing, exposed communication, copying, and idle by cause."""

    rank: int | None
    worker: str
    name: str
    """The name in sentences and tables: its number, else its worker."""
    step_us: float | None
    computing_us: float | None
    communication_exposed_us: float | None
    copying_us: float | None
    idle: tuple[IdlePart, ...]
    """In the order of the other screens."""
    transfer_us: float | None
    """Time of its matched collectives, covered by computing or not; with the next one their whole time. Null
    where none of them is matched, as the next three."""
    arrival_wait_us: float | None
    late_us: float | None
    """How late it was, in the collectives in which it was the latest."""
    latest_in: int | None
    """Matched collectives of the whole window in which it was the late one."""
    clock_offset_us: float | None
    """What was subtracted from its times to draw it; null where no collective tells. Not of a step."""
    clock_error_us: float | None
    role: RankRole | None = None
    """Null where no rank is late by so much that it comes before all else."""


@dataclass(frozen=True, slots=True)
class RankRole:
    """What the window of a rank says of its job, before all else."""

    sentence: str
    order: str
    """What to do first; "" on a rank that waits for another."""
    answered_by: tuple[str, ...]
    """The rules that answer the cause: what one of them found in the window is what to do first."""
    answered: tuple[str, ...]
    """The rules that look for the late rank: there is nothing left to find on it."""
    opens: int | None
    """Index into `ranks`: the late one; null on that itself."""


@dataclass(frozen=True, slots=True)
class RankWait:
    """One cell of who waits for whom; a cell that is not there is 0."""

    waiting: int
    """Index into `ranks`, as the next one."""
    awaited: int | None
    """Null: nobody was late by more than noise."""
    wait_us: float


@dataclass(frozen=True, slots=True)
class LateCause:
    """What made one rank late, over all steps in which it was the late one for this cause."""

    rank: int
    """Index into `ranks`."""
    also_late: tuple[int, ...]
    """The ranks that came together with it."""
    sentence: str
    steps: tuple[int, ...]
    """Indexes into `steps`."""
    late_us: float
    """How late it was in these, over all steps of the window."""
    due_us: float
    """The part of that which is due to the cause."""
    kind: Literal["computing", "idle", "copying", "communication"]
    cause: str
    """The cause of idle; "" else."""
    cause_name: str
    """In a few words, as `Waiting for data` or `Computes more`."""
    place: str
    """The code, the op or the other group, in short; "" where nothing tells."""
    source: JobSource | None
    op: str
    """The op where the cause is computing, as the next one its module."""
    module: str
    computing: Literal["more", "slower", "unknown"] | None
    """Null where the cause is no computing. `slower`: the same work in longer kernels."""
    inputs: float | None = None
    """How many times as large as the others' the inputs of its ops are; null where it does not compute more,
    and without shapes."""
    near: str = ""
    """Another cause, to which nearly as much is due; "" where there is none."""


@dataclass(frozen=True, slots=True)
class JobFix:
    """One row of the job's fix plan: what a step of the whole job gains if a cause is gone."""

    cause: int
    """Index into `late`."""
    title: str
    detail: str
    floor_us: float
    estimate_us: float
    ceiling_us: float


@dataclass(frozen=True, slots=True)
class JobFinding:
    """What a rule about several ranks found; its page is that of its code, as of all rules."""

    rule: str
    title: str
    severity: Severity
    sentence: str
    cause: int | None
    """Index into `late`; null where it is about none."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A mean step of the job; null as a whole where a replay does not give what was recorded."""

    step_us: float
    """The step by the replay of what was recorded."""
    without_us: float
    """Without what made the late ranks late."""
    ideal_us: float
    """With every rank's stretch the median."""
    floor_us: float
    """What is gained at the least without the causes, as the next one at the most."""
    ceiling_us: float
    balanced_us: float | None
    """With every rank computing as long as the mean, in steps in which one computed more than the others;
    null without any, as the next two."""
    balance_floor_us: float | None
    """What is gained by that at the least, as the next one at the most."""
    balance_ceiling_us: float | None
    error: float
    """Error of the replay, a share of the recorded time."""


@dataclass(frozen=True, slots=True)
class JobStep:
    """One step of the window."""

    step: int
    """Its number, as the profiler has it."""
    late_rank: int | None
    """Index into `ranks`; null: nobody."""
    cause: int | None
    """Index into `late`."""
    late_us: float
    wait_us: float
    """Waiting of all ranks in all collectives of the step."""
    latest_in: int
    collectives: int
    recorded_us: float | None
    """In the median of the ranks, as the replay has it; null without an estimate, as the next ones."""
    without_us: float | None
    ideal_us: float | None


@dataclass(frozen=True, slots=True)
class JobMeeting:
    """One matched collective; its times are its own."""

    kind: str
    group: str
    """"" where it was not recorded."""
    bytes: int | None
    step: int
    """Index into `steps`."""
    ranks: int
    end_us: float
    """On the common axis: all leave it together."""
    transfer_us: float
    skew_us: float
    """Between the first and the last to arrive: the longest row less the shortest. No clock takes part."""
    wait_us: float
    """Waiting of all ranks."""
    late_rank: int | None
    """Index into `ranks`; null: nobody."""
    late_us: float


@dataclass(frozen=True, slots=True)
class StripStretch:
    """A collective of one rank and what came before it. Its times are its own, on the common axis."""

    meeting: int | None
    """Index into `meetings`; null: not matched."""
    begin_us: float
    """Where the stretch begins: the end of the rank's collective before, or the begin of its window."""
    start_us: float
    """Start of the collective; the next one is its end."""
    end_us: float
    wait_us: float
    """The first part of the collective; the rest is transfer. 0 of one that was not matched."""
    computing_us: float
    """What the rank did between `begin_us` and `start_us`, as the next ones; they fill it."""
    communication_us: float
    copying_us: float
    idle: tuple[IdlePart, ...]


@dataclass(frozen=True, slots=True)
class StripStep:
    step: int
    """Index into `steps`."""
    end_us: float
    """End of the rank's last collective in it, where its next step begins."""


@dataclass(frozen=True, slots=True)
class RankStrip:
    """What one rank did, on an axis that all ranks share, up to `clock_error_us` of the rank."""

    rank: int
    """Index into `ranks`."""
    begin_us: float
    steps: tuple[StripStep, ...]
    stretches: tuple[StripStretch, ...]
    """In the order of their start."""


@dataclass(frozen=True, slots=True)
class JobCollective:
    """Matched collectives of one kind, group and size, over the whole window and all their ranks."""

    kind: str
    group: str
    bytes: int | None
    count: int
    ranks: int
    total_us: float
    """Time of all ranks, as the next two: transfers and arrival waits are all of it."""
    transfer_us: float
    arrival_wait_us: float
    shortest_us: float
    """The shortest transfer."""
    skew_us: float
    """Mean time between the first and the last to arrive."""
    algorithm_gb_s: float | None
    """The rate of the transfer alone, as the next one."""
    bus_gb_s: float | None
    latest: int | None
    """Index into `ranks`: who was late most often."""
    latest_in: int


@dataclass(frozen=True, slots=True)
class UnmatchedGroup:
    group: str
    count: int
    """Number of collectives, counted on all ranks."""
    sentence: str


@dataclass(frozen=True, slots=True)
class RankProblem:
    """A rank of which no collectives are known, and why; the others stand."""

    rank: int | None
    worker: str
    sentence: str


@dataclass(frozen=True, slots=True)
class UnreadRank:
    """A rank whose window is still being read."""

    rank: int | None
    worker: str


@dataclass(frozen=True, slots=True)
class JobPage:
    verdict: str
    """One sentence."""
    detail: str
    """What stands beside it; "" for nothing."""
    notes: tuple[str, ...]
    """What to know before the figures are trusted."""
    step_us: float | None
    """Step of the job, in the median of the ranks."""
    waiting_share: float | None
    """The part of all ranks' communication that is waiting for the last to arrive."""
    matched: int
    unmatched: int
    on: Literal["device", "host"]
    """Where the collectives ran; on the host computing is ops, and idle is Python."""
    ranks: tuple[JobRank, ...]
    """The ranks, in the order of their numbers."""
    waits: tuple[RankWait, ...]
    """Longest first."""
    late: tuple[LateCause, ...]
    """Latest first."""
    plan: tuple[JobFix, ...]
    """The one that pays most first. Each is of other steps, so that they add up."""
    findings: tuple[JobFinding, ...]
    what_if: WhatIf | None
    steps: tuple[JobStep, ...]
    meetings: tuple[JobMeeting, ...]
    """The meetings by step and end; at most `MOST_MEETINGS`, those of the first steps."""
    strips: tuple[RankStrip, ...]
    """The strips of the latest ranks, at most `MOST_STRIPS`; in the order of `ranks`."""
    collectives: tuple[JobCollective, ...]
    """The collectives, those first that take longest."""
    unmatched_groups: tuple[UnmatchedGroup, ...]
    missing: tuple[int, ...]
    """Numbers of ranks that have no window here; empty where as many windows tell no number, else theirs are
    among them."""
    problems: tuple[RankProblem, ...]


@dataclass(frozen=True, slots=True)
class JobAnswer:
    state: Literal["ready", "reading"]
    """`reading`: some windows are still being read; the page is of the others."""
    sentence: str
    """How many are read; "" when all are."""
    window: int
    """The number of the window of every worker, from 1 on."""
    windows: int
    """How many windows the worker with most of them has."""
    page: JobPage | None
    """Null while no window is read."""
