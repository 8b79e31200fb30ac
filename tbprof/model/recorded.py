"""What the hook records beside a trace: the facts, and what its audit step saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from tbprof.model.computing import CompilerFacts
from tbprof.model.sites import Source
from tbprof.records import dataclass

FACTS_SCHEMA = 1

DEVICE, HOST, MADE_ON_HOST, UNKNOWN = "device", "host", "made_on_host", ""
"""Where a tensor would be; `MADE_ON_HOST`: a factory of torch's filled it there."""

WAITED = "wait"
"""The call of a wait that CUDA reported while torch's functions were not watched."""


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
    """The two sides of a move, else where the tensor is; none where that is not known."""
    pinned: bool | None
    """Whether the host's side of a move is pinned."""
    non_blocking: bool | None
    thread: int = 0
    """0 is the thread that takes the steps; others by their first call."""
    via: str = ""
    """The file of torch's own Python code that called it for the line; "" where the line did itself."""
    same_bytes: bool | None = None
    """Whether the next step copied the very same bytes, for small uploads; None where nobody looked."""
    caller: Source | None = None
    """The line of the user's own code that it came from, where `file` is a library's."""
    places: tuple[str, ...] = ()
    """The places where the tensors of a run without a GPU would be with one, in the order of `devices`; each
    DEVICE, DEVICE, HOST, MADE_ON_HOST or UNKNOWN. None where nobody followed them."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A line that built modules or optimizers in the audit step."""

    file: str
    line: int
    function: str
    kind: str
    """Name of their class."""
    count: int


IN_LOADER = "loader"
"""What runs around a sampled line that a DataLoader runs in the training's own process."""


@dataclass(frozen=True, slots=True)
class SampledLine:
    """A line at which the training's thread was seen in the audit step while torch ran no operator."""

    file: str
    line: int
    function: str
    caller: Source | None
    """The line of the user's own code that it came from, where `file` is a library's."""
    within: str
    """IN_LOADER, else ""."""
    count: int
    """How many samples it has."""
    time_ns: int
    """The time that they stand for."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """Lines of a program as they were when it ran, so that no viewer opens a path of a trace."""

    file: str
    first_line: int
    text: str


LONGEST_STATEMENT = 160
_MOST_LINES = 12


def code_line(source: Source | None, texts: Sequence[SourceText]) -> str:
    """The text of a line without its indent; "" where the line or its text was not recorded."""
    lines = _lines_from(source, texts)
    return lines[0].strip() if lines else ""


def code_statement(source: Source | None, texts: Sequence[SourceText]) -> str:
    """The line for people: where it opens brackets, with what follows up to their end."""
    return joined_statement(_lines_from(source, texts))


def joined_statement(lines: Sequence[str]) -> str:
    """The first line, and those that it goes on in, as one line of at most `LONGEST_STATEMENT` characters."""
    said, depth = "", 0
    for line in lines[:_MOST_LINES]:
        part = line.strip()
        depth += sum(map(part.count, "([{")) - sum(map(part.count, ")]}"))
        said += part if not said or said[-1] in "([{" or part[:1] in ")]}" else f" {part}"
        if depth <= 0 or len(said) > LONGEST_STATEMENT:
            break
    return said if len(said) <= LONGEST_STATEMENT else f"{said[: LONGEST_STATEMENT - 1]}…"


def _lines_from(source: Source | None, texts: Sequence[SourceText]) -> Sequence[str]:
    if source is None or source.line is None or not source.exact:
        return ()
    for text in texts:
        if text.file == source.file:
            lines = text.text.splitlines()
            at = source.line - text.first_line
            if 0 <= at < len(lines):
                return lines[at:]
    return ()


@dataclass(frozen=True, slots=True)
class Audit:
    """What the hook saw in the audit step, the one after the recorded ones, left out of all times."""

    left_out: str
    """Code of the reason why torch's functions were not watched; "" where they were."""
    calls: tuple[RecordedCall, ...]
    order: tuple[int, ...]
    """The calls of the step one by one, as indexes into `calls`."""
    dropped: int
    """Calls beyond what was kept."""
    sources: tuple[SourceText, ...]
    constructions: tuple[Construction, ...] = ()
    backward_calls: int = 0
    samples: tuple[SampledLine, ...] = ()
    """Where the thread was outside of torch's operators, the longest first."""
    samples_taken: int = 0
    """All that were taken, those within operators among them."""
    steps: int = 1
    """The steps that `calls` are the mean of: a cycle, where one step in so many takes far longer."""


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
    """The counts that are not 0."""


@dataclass(frozen=True, slots=True)
class GarbageCollections:
    """Runs of Python's garbage collector, as columns: those of 10 us and longer, at most 2,048."""

    start_ns: tuple[int, ...]
    """Unix time."""
    duration_ns: tuple[int, ...]
    thread: tuple[int, ...]
    """The thread that it ran on, by the system's number, as a trace has it."""


@dataclass(frozen=True, slots=True)
class MissingFact:
    """An optional part of what the hook records, and why it is not there."""

    name: str
    """Its code, such as `allocator_counts`."""
    reason: str
    """What was raised when it was asked for, as text."""


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
    """Commit of the checkout that the program was started in."""
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
    """The same as `unprofiled_step_ns`, but from event to event on the device; None without one."""
    after_step_ns: int | None = None
    """Median host time of the first steps after the window; None if it ended with the training."""
    step_counters: tuple[StepCounts, ...] = ()
    """`counters` by recorded step."""
    other_gpu_processes: int | None = None
    """Processes on the device besides this one; None where they can't be seen."""
    profiler_start_ns: int | None = None
    """Host time in which the profiler was prepared and started, CUPTI with it; None where nobody timed it."""
    compiler: CompilerFacts | None = None
    """None where nothing was compiled, or nobody asked."""
    collections: GarbageCollections | None = None
    """None where nobody timed them; a report has what they cost, and None here."""
    missing: tuple[MissingFact, ...] = ()
    """What could not be had of all this, each once."""

    @property
    def device_recorder(self) -> str | None:
        """What recorded the devices; None where the program used none.

        Torch names CUDA by two numbers, as 12.8, HIP by three and its commit, and has no
        version for Intel's devices.
        """
        if not self.device_names:
            return None
        if self.cuda_version is None:
            return "PTI"
        return "CUPTI" if self.cuda_version.count(".") == 1 else "roctracer"
