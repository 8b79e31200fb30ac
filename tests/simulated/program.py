"""What a simulated training asks of its host threads and devices, action by action.

Durations are in ns and belong to the action, not to the run of it: a program run with and
without a wait meets the same host work, the same latencies and the same kernels, so that the
difference of the two runs is what the wait cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

MAIN = 100
AUTOGRAD = 101
SIDE = 777
FEEDER = 778
NO_SITE = -1
STREAM = 7
"""The stream that torch computes on, as CUPTI numbers it."""


@dataclass(frozen=True, slots=True)
class Work:
    """The host is busy by itself."""

    length_ns: int
    thread: int = MAIN
    code: str = ""
    """What the program calls this code; a range lies around all that follow one another in it.

    What begins as an op of torch does is one, and an op of autograd's has its number behind a `#`."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel, or a graph of several that run one after the other."""

    call_ns: int
    latency_ns: int
    """From the start of the call until the device can see it."""
    runs_ns: tuple[int, ...]
    gap_ns: int
    """From the end of what ran before it on its stream to its earliest start."""
    stream: int = STREAM
    device: int = 0
    thread: int = MAIN
    recorded: bool = True
    """Work of a library that CUPTI does not see is not."""
    name: str = "kernel"
    op: str = ""
    host_ns: int = 0
    """What the op does on the host before its call."""
    code: str = ""
    """As of `Work`."""
    shapes: str = ""
    """Of the op's inputs, as the profiler writes them."""
    blocks: float = 0
    """For each multiprocessor; 0 where the trace does not say."""
    talks: bool = False
    """Whether it sends to other ranks, and slows down what runs beside it."""


@dataclass(frozen=True, slots=True)
class Allocate:
    """The allocator asks the driver for a block, or gives one back, for which all work has to end."""

    api: Literal["cudaMalloc", "cudaFree"]
    call_ns: int
    code: str = ""
    """As of `Work`."""
    device: int = 0
    thread: int = MAIN


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy call and, where `synchronized`, the stream synchronize that torch makes after it."""

    direction: Literal["HtoD", "DtoH"]
    memory: Literal["pageable", "pinned"]
    size_bytes: int
    run_ns: int
    call_ns: int
    latency_ns: int
    gap_ns: int
    sync_ns: int
    """What the synchronize takes when there is nothing to wait for."""
    return_ns: int
    """From the end of what is awaited to the return of the call that waits."""
    synchronized: bool = True
    api: str = "cudaMemcpyAsync"
    site: int = NO_SITE
    stream: int = STREAM
    device: int = 0
    thread: int = MAIN


@dataclass(frozen=True, slots=True)
class Synchronize:
    kind: Literal["stream", "device", "event"]
    sync_ns: int
    return_ns: int
    site: int = NO_SITE
    event: int = 0
    """Which event; for the kind "event"."""
    stream: int = STREAM
    device: int = 0
    thread: int = MAIN


@dataclass(frozen=True, slots=True)
class RecordEvent:
    event: int
    call_ns: int
    stream: int = STREAM
    device: int = 0
    thread: int = MAIN


@dataclass(frozen=True, slots=True)
class StreamWait:
    """`stream` runs nothing more until the event, as it was recorded last, has come."""

    event: int
    call_ns: int
    resolve_ns: int
    """From the event to the stream going on."""
    stream: int = STREAM
    device: int = 0
    thread: int = MAIN


@dataclass(frozen=True, slots=True)
class Put:
    """The thread hands a batch over; it stands while nobody has taken the last ones."""

    holds: int
    """Batches that may lie there."""
    thread: int = FEEDER


@dataclass(frozen=True, slots=True)
class Take:
    """The thread takes a batch, and stands until there is one. A profiler sees nothing of it."""

    thread: int = MAIN


Action = Work | Launch | Allocate | Copy | Synchronize | RecordEvent | StreamWait | Put | Take


@dataclass(frozen=True, slots=True)
class Program:
    """A training: steps one after the other, some of them before the profiler's window."""

    steps: tuple[tuple[Action, ...], ...]
    steps_before: int = 0
    """How many of the steps have passed when the profiler begins to record."""
    side: tuple[Action, ...] = ()
    """What a thread does beside the training, from the start on."""
    feeder: tuple[Action, ...] = ()
    """What a thread does that makes the batches, from the start on."""
    kernels_share: bool = False
    """Whether kernels of several streams run at once; else each fills the device."""
    names_awaited: bool = True
    """Whether `cuda_sync` rows say which stream was awaited."""
    slower_kernels: float = 0
    """By how much kernels are slower while ranks talk, 0.5 for half as slow again."""
    slower_copies: float = 0
    traits: frozenset[str] = field(default_factory=frozenset)

    @property
    def sites(self) -> tuple[int, ...]:
        """Numbers of the sites whose waits can be taken away."""
        actions = (action for part in (*self.steps, self.feeder) for action in part)
        marked = (each.site for each in actions if isinstance(each, Copy | Synchronize))
        return tuple(sorted({site for site in marked if site != NO_SITE}))
