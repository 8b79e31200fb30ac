"""The nouns of tbprof: frozen records that every layer shares; no I/O.

Times are integer nanoseconds and end in `_ns`, sizes are bytes and end in `_bytes`.
Instants in a report count from the first event of its trace. What was not recorded or
not computed is None, never 0. How each of them is counted stands where it is computed,
in `tbprof.analysis`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = [
    "FACTS_SCHEMA",
    "SEVERITIES",
    "Audit",
    "CodeKind",
    "CodeShare",
    "Construction",
    "CopyTotal",
    "DeviceIdle",
    "Evidence",
    "FailedRule",
    "Finding",
    "HealthFact",
    "HealthSeverity",
    "HookFacts",
    "HostTime",
    "Idle",
    "IdlePlace",
    "Instance",
    "LoaderFacts",
    "NotChecked",
    "Numbers",
    "OptimizerFacts",
    "PlanRow",
    "PredictedKind",
    "PredictedLine",
    "RecordedCall",
    "Removal",
    "Report",
    "Saving",
    "Savings",
    "Severity",
    "Site",
    "SkippedFile",
    "Source",
    "SourceText",
    "Span",
    "SpanKind",
    "Step",
    "StepCounts",
    "SyncTotals",
    "TraceSummary",
    "Verdict",
    "Window",
    "fingerprint",
    "suppression",
    "told_apart",
]

Numbers: TypeAlias = Mapping[str, int | float | str]
Severity: TypeAlias = Literal["critical", "high", "medium", "low", "info"]
HealthSeverity: TypeAlias = Literal["info", "warning", "error"]
Removal: TypeAlias = Literal["drop", "defer", "rewrite", "needed"]
CodeKind: TypeAlias = Literal["label", "module", "function"]
PredictedKind: TypeAlias = Literal["scalar_read", "control_flow", "dynamic_shape", "host_read", "upload"]
SpanKind: TypeAlias = Literal["launch", "copy_call", "sync_call", "kernel", "copy", "memset"]

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
"""Worst first."""

FACTS_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A line that the hook saw calling something that can sync or copy."""

    file: str
    line: int
    function: str
    call: str
    """The function's own name in torch, such as `item` or `__getitem__`."""
    count: int
    devices: tuple[str, ...]
    """Of a move where from and where to, else where the tensor is; none where it is not known."""
    pinned: bool | None
    """Of the host's side of a move."""
    non_blocking: bool | None
    thread: int = 0
    """0 is the thread that takes the steps; others by their first call."""
    via: str = ""
    """The file of torch's own Python code that called it for the line; "" where the line did itself."""
    same_bytes: bool | None = None
    """Of small uploads: whether the next step copied the very same bytes; None where nobody looked."""
    caller: Source | None = None
    """The line of the user's own code that it came from, where `file` is a library's."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A line that built modules or optimizers in the audit step."""

    file: str
    line: int
    function: str
    kind: str
    """Name of their class."""
    count: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """Lines of a program as they were when it ran, so that no viewer opens a path of a trace."""

    file: str
    first_line: int
    text: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What the hook saw in the audit step: the one after the recorded ones, left out of all times."""

    left_out: str
    """Code of the reason why there was none; "" where there was."""
    calls: tuple[RecordedCall, ...]
    order: tuple[int, ...]
    """The calls of the step one by one, as indexes into `calls`."""
    dropped: int
    """Calls beyond what was kept."""
    sources: tuple[SourceText, ...]
    constructions: tuple[Construction, ...] = ()
    backward_calls: int = 0


@dataclass(frozen=True, slots=True)
class LoaderFacts:
    """A DataLoader that was alive when the window ended."""

    dataset: str
    """Name of the dataset's class."""
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    prefetch_factor: int | None
    persistent_workers: bool


@dataclass(frozen=True, slots=True)
class OptimizerFacts:
    """An optimizer that was alive when the window ended; None is torch's own choice."""

    name: str
    """Name of its class."""
    foreach: bool | None
    fused: bool | None
    capturable: bool | None
    groups: int
    parameters: int


@dataclass(frozen=True, slots=True)
class StepCounts:
    """What the allocator, the compiler and the garbage collector did in one recorded step."""

    counts: Mapping[str, int]
    """Those that are not 0."""


@dataclass(frozen=True, slots=True)
class HookFacts:
    """What the trainer hook knows about a window and the trace does not hold.

    The hook writes it as one JSON object (these names as keys) to `X.facts.json`;
    publishing puts that object under the top-level key `tbprof` of the raw trace.
    """

    schema: int
    tbprof_version: str
    torch_version: str
    cuda_version: str | None
    """CUDA or HIP, as torch names the version it was built for; None on a CPU build."""
    driver_version: str | None
    device_names: tuple[str, ...]
    worker: str
    rank: int | None
    world_size: int | None
    window: int
    """0 for the first window of a run."""
    first_step: int
    """The trainer's own number of the first recorded step."""
    recorded_steps: int
    options: Mapping[str, bool]
    """`with_stack`, `record_shapes`, `profile_memory`, `with_flops`, `with_modules`."""
    unprofiled_step_ns: int | None
    """Median host time of the steps before the window, warm-up left out; None if there were none."""
    profiled_step_ns: int | None
    """Median host time of the window's own steps, by the same clock."""
    audit: Audit | None = None
    """None where it was not asked for; a report holds its parts itself and None here."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Switches of torch and the machine that decide how fast a step can be, by torch's names."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that change how the device is driven, where set."""
    counters: Mapping[str, int] = field(default_factory=dict)
    """What the allocator and the compiler did during the recorded steps."""
    git_commit: str | None = None
    """Of the checkout that the program was started in."""
    loaders: tuple[LoaderFacts, ...] = ()
    optimizers: tuple[OptimizerFacts, ...] = ()
    begun_by: str = "schedule"
    """Why the window was recorded: "schedule", "trigger" or "slow_step"."""
    phase: str = "training"
    """What the steps are: "training" or "inference"."""
    phases_left_out: tuple[str, ...] = ()
    """Labels of the trace that belong to no step, such as an evaluation between two."""
    unprofiled_quartiles_ns: tuple[int, ...] = ()
    """The lower and the upper one beside `unprofiled_step_ns`; none of too few steps."""
    cold_steps_ns: tuple[int, ...] = ()
    """The run's first steps, while they took longer: left out of `unprofiled_step_ns`."""
    unprofiled_device_step_ns: int | None = None
    """As `unprofiled_step_ns`, but from event to event on the device; None without one."""
    after_step_ns: int | None = None
    """Median host time of the first steps after the window; None if it ended with the training."""
    step_counters: tuple[StepCounts, ...] = ()
    """`counters` by recorded step."""
    other_gpu_processes: int | None = None
    """Processes on the device besides this one; None where they can't be seen."""


@dataclass(frozen=True, slots=True)
class HealthFact:
    """One thing to know before the figures are trusted; its sentence is in `tbprof.texts`."""

    code: str
    severity: HealthSeverity
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class TraceSummary:
    path: str
    worker: str
    rank: int | None
    world_size: int | None
    devices: tuple[str, ...]
    """Names of the devices that ran something, by number; `GPU 2` where the file has no name."""
    era: str
    """The dialect of the file: "2021", "2022", "2023" or "2024+"."""
    span_ns: int
    """From the first event's start to the last event's end."""
    num_events: int
    health: tuple[HealthFact, ...]


@dataclass(frozen=True, slots=True)
class HostTime:
    """What the training threads did in a step; the rest of it is Python and other things."""

    waiting_ns: int
    """In sync points."""
    loading_ns: int
    """In the data loader."""
    launching_ns: int
    """In ops of torch and calls of the device's runtime."""


@dataclass(frozen=True, slots=True)
class Step:
    """One `ProfilerStep#n` on the CPU, or the whole window where there is none."""

    name: str
    start_ns: int
    duration_ns: int
    cold: bool
    sync_points: int
    wait_ns: int
    device_idle_ns: int | None
    idle_empty_ns: int | None
    gpu_lag_ns: int | None
    """How far the GPU work launched in the step ends after the step's end on the host."""
    copying_ns: int | None = None
    """Summed over the devices, as all device times: when a device did nothing but copy."""
    idle_by_cause: Mapping[str, int] = field(default_factory=dict)
    """In ns, together all of `device_idle_ns`; causes that took nothing are left out."""
    host: HostTime | None = None
    saving: Saving | None = None
    """What the fix plan wins of this step; None where no device was recorded."""
    kernels: int | None = None
    """Launched in the step, wherever they ran; None where no launch was recorded."""
    launches: int | None = None
    """Calls that launched them."""


@dataclass(frozen=True, slots=True)
class SyncTotals:
    """All sync points of a window, the profiler's own left out and listed apart."""

    count: int
    wait_ns: int
    wait_in_copy_ns: int
    wait_in_sync_ns: int
    explained_ns: int
    profiler_own_ns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CopyTotal:
    direction: str
    memory: str
    count: int
    bytes: int
    blocking: int
    wait_ns: int | None = None
    """Host time in those that blocked, with the synchronise calls after them."""
    device_ns: int | None = None
    """How long they took on the device."""
    exposed_ns: int | None = None
    """The part of `device_ns` during which the device computed nothing."""
    best_bytes_per_s: int | None = None
    """Of the fastest single copy."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where in Python a site is. Not `exact`: `line` is that of the enclosing `def`."""

    file: str
    line: int | None
    function: str
    exact: bool
    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A bar of a drawing. Its name is "" where it stands for several rows that lie close."""

    kind: SpanKind
    name: str
    start_ns: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class Instance:
    """The median episode of a site, enough to draw it when the raw trace is gone."""

    step: int | None
    """Index into the report's steps; None outside every step."""
    host: tuple[Span, ...]
    """The launch before, the calls, the launch after: in time order."""
    device: tuple[Span, ...]
    """What the awaited device did around the calls, in time order."""
    op: Span | None = None
    """The outermost op around the calls; its kind is `launch`."""


@dataclass(frozen=True, slots=True)
class Site:
    """Sync points and copies of one origin, counted together."""

    direction: str
    memory: str
    calls: tuple[str, ...]
    ops: tuple[str, ...]
    """Innermost first."""
    source: Source | None
    label: str | None
    module: str | None
    count: int
    blocking: int
    per_step: tuple[int, ...]
    bytes: int
    wait_ns: int
    wait_net_ns: int
    explained_ns: int
    starve_ns: int
    instance: Instance | None
    device_ns: int | None = None
    """How long its copies took on the device."""
    exposed_ns: int | None = None
    """The part of `device_ns` during which the device computed nothing."""
    library: str | None = None
    """Whose code `source` is in; None for the user's own."""
    callers: tuple[Source, ...] = ()
    """The frames around `source` at the median instance, from the inside out."""


@dataclass(frozen=True, slots=True)
class DeviceIdle:
    device_ns: int
    empty_ns: int
    queued_ns: int
    by_cause: Mapping[str, int]
    """In ns, together all of `device_ns`; causes that took nothing are left out."""


@dataclass(frozen=True, slots=True)
class IdlePlace:
    """A part of the idle with an empty queue: why, in what, and which wait let it happen."""

    cause: str
    idle_ns: int
    place: str
    """The label, user function or op that the host was in; "" if nothing was recorded there."""
    site: int | None
    """For the cause `sync`: the site after which the device stayed dry."""
    drained_by: int | None
    """The site during whose wait the device ran dry, whatever the cause is."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Device idle inside the steps: the sum over the devices, and each of them."""

    total: DeviceIdle
    by_device: Mapping[str, DeviceIdle]
    places: tuple[IdlePlace, ...]
    """Most idle first; not all of it is placed."""


@dataclass(frozen=True, slots=True)
class Saving:
    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int


@dataclass(frozen=True, slots=True)
class Savings:
    """What the whole window could win."""

    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int
    calibrated: bool
    replay_error: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    kind: str
    start_ns: int
    duration_ns: int
    step: int | None
    row: int
    """Row of the trace's events; valid only together with the trace's cache key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's answer: numbers and evidence, no prose."""

    rule: str
    severity: Severity
    sites: tuple[int, ...]
    steps: tuple[int, ...]
    count: int
    removal: Removal
    saving: Saving | None
    confidence: Literal["high", "medium", "low"]
    evidence: tuple[Evidence, ...]
    numbers: Numbers
    fingerprint: str


@dataclass(frozen=True, slots=True)
class PlanRow:
    finding: int
    adds_ns: int
    total_ns: int
    ceiling_ns: int


@dataclass(frozen=True, slots=True)
class Verdict:
    case: str
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class NotChecked:
    rule: str
    needs: str


@dataclass(frozen=True, slots=True)
class FailedRule:
    rule: str
    error: str


@dataclass(frozen=True, slots=True)
class CodeShare:
    """What one label, module or function takes of the steps, over the whole window."""

    kind: CodeKind
    name: str
    """"" for device work that was launched inside none."""
    host_ns: int
    """Its own: without that of the ranges of its kind inside it."""
    device_ns: int
    launches: int


@dataclass(frozen=True, slots=True)
class PredictedLine:
    """A line of a run without a GPU that would wait for one, told from what it calls.

    Nothing was measured: there is no time, no saving, and no certainty that its tensors would
    be on the device.
    """

    rule: str
    kind: PredictedKind
    source: Source
    """Always exact."""
    call: str
    """The function's own name in torch."""
    count: int
    """In one step."""
    known: Literal["seen", "read"]
    """How it is known that a GPU is waited for."""
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that tbprof knows about one window; the thing that is stored."""

    trace: TraceSummary
    steps: tuple[Step, ...]
    sync_points: SyncTotals
    copies: tuple[CopyTotal, ...]
    sites: tuple[Site, ...]
    idle: Idle | None
    code: tuple[CodeShare, ...]
    savings: Savings | None
    findings: tuple[Finding, ...]
    fix_plan: tuple[PlanRow, ...]
    verdict: Verdict | None
    not_checked: tuple[NotChecked, ...]
    failed_rules: tuple[FailedRule, ...]
    recorded_calls: tuple[RecordedCall, ...]
    facts: HookFacts | None
    sources: tuple[SourceText, ...] = ()
    """The code around the recorded calls."""
    predicted_lines: tuple[PredictedLine, ...] = ()
    """Only where no device work was recorded; in the order of the files and lines."""


@dataclass(frozen=True, slots=True)
class Window:
    """Where the files of one window are; at least one of the two paths is there."""

    run: str
    """Path of the run's folder relative to the log directory, with forward slashes."""
    worker: str
    window: str
    """Its id: the trace's file name, or the one that the report's name stands for."""
    order_ns: int
    """Sorts the windows of a worker: the ns in the file name, else the time of the last change."""
    trace_path: str | None
    report_path: str | None
    size_bytes: int
    """Of the trace file, 0 where it is gone."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that looks like a window and is not offered, with the code of the reason."""

    path: str
    reason: str


def fingerprint(rule: str, file: str, function: str, ops: tuple[str, ...]) -> str:
    """A finding's name that outlives edits elsewhere in its file: 16 hex digits."""
    return _digest((rule, file, function, *ops))


def told_apart(fingerprints: Iterable[str]) -> tuple[str, ...]:
    """The same fingerprints with no two alike: the first keeps its own, the n-th has its number in it.

    Findings come in the order of their lines, so that two reads in one function keep their
    names wherever the function moves to, and a third one behind them changes neither.
    """
    seen: Counter[str] = Counter()
    distinct = []
    for name in fingerprints:
        distinct.append(_digest((name, str(seen[name]))) if seen[name] else name)
        seen[name] += 1
    return tuple(distinct)


def _digest(parts: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


_SUPPRESSION = re.compile(r"#\s*tbprof:\s*ignore(?:\[(?P<codes>[\w\s,]*)\])?\s*(?P<reason>.*)")


def suppression(line: str, rule: str) -> str | None:
    """Why a line of a program asks a rule to be silent about it; None where it does not.

    The line ends in `# tbprof: ignore[SYN01] reason`, with several codes or, without brackets,
    for every rule. The reason may be empty.
    """
    found = _SUPPRESSION.search(line)
    if found is None:
        return None
    codes = found["codes"]
    if codes is not None and rule not in (code.strip() for code in codes.split(",")):
        return None
    return found["reason"].strip()
