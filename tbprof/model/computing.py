"""What the devices computed in the steps, and how near their limit."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbprof.records import dataclass

ProgramPartKind: TypeAlias = Literal[
    "module",
    "loss",
    "optimizer",
    "compiled",
    "graph",
    "communication",
    "before",
    "between",
    "gradients",
    "after",
    "outside",
]
"""What a part of a program is; those from "before" on lie before, between, after or outside its modules."""


@dataclass(frozen=True, slots=True)
class ComputingPart:
    """Work of one kind."""

    kind: str
    """"matmul", "convolution", "attention", "normalization", "embedding", "reduction", "element-wise";
    "communication", "copies" from and to the host; without such an operator "graph", what a CUDA graph holds,
    "compiled", what torch.compile wrote, and "other"."""
    device_ns: int
    """Time of kernels, copies and memsets, also where several run at once."""
    covered_ns: int
    """The part whose FLOPs and bytes are known."""
    flops: int
    """The operations of that part, as all below."""
    bytes: int
    limit_ns: int | None
    """What it would take at the peak rates of the device; None where these are not known."""
    above_limit_ns: int | None


@dataclass(frozen=True, slots=True)
class GpuUse:
    """How much of a GPU its kernels took, from the first step's start to the end of the last one's work.

    Without steps in the file all operators are one.
    """

    device: int
    steps: int
    """How many of the window's steps that are: a last one that was cut off does not count."""
    utilization: float
    """The share of the time in which at least one kernel ran."""
    sm_efficiency: float | None
    """The mean share of the multiprocessors that had a block; None where no kernel says its blocks."""
    occupancy: float | None
    """The mean of Kineto's estimate for each kernel, weighted by its time; None where there is none."""


@dataclass(frozen=True, slots=True)
class Computing:
    """Over all steps of the window and all devices of the process."""

    device: str | None
    """The device whose data sheet has the limits; None for a device that is not in the table, or a slice of
    one."""
    device_ns: int
    """Time of all work; its parts add up to it."""
    computing_ns: int
    """Without communication and without copies from and to the host."""
    covered_ns: int
    flops: int
    bytes: int
    limit_ns: int | None
    above_limit_ns: int | None
    reached_tflops: float | None
    """The rate of what is covered; None where nothing is."""
    limit_tflops: float | None
    """What it would reach at its limit."""
    mfu: float | None
    """Model FLOPs utilization: how much of the steps the matrix products of the model would take at the peak
    rate of their type. None without steps or peaks, or where products are not covered."""
    uncovered_share: float
    """The share of `computing_ns` that no formula covers."""
    parts: tuple[ComputingPart, ...]
    """Most time first."""


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """A line at which torch.compile ended a graph and went on with another one."""

    file: str
    line: int
    function: str
    reason: str
    """In torch's words, a line of text."""
    count: int
    """How many times it was compiled so."""


@dataclass(frozen=True, slots=True)
class Recompilation:
    """A function that was compiled again since what it was compiled for no longer held."""

    file: str
    line: int
    """The line of its `def`."""
    function: str
    reason: str
    """In torch's words, that of the latest time."""
    count: int
    compile_ns: int
    """What all these times took together."""


@dataclass(frozen=True, slots=True)
class CompilerFacts:
    """All that was compiled since the program began."""

    graphs: int
    operations: int
    """Calls of torch that are in these graphs, each counted once a graph."""
    breaks: tuple[GraphBreak, ...] = ()
    """Most frequent first."""
    recompilations: tuple[Recompilation, ...] = ()
    """Most frequent first, of the latest times that torch keeps."""
    given_up: tuple[str, ...] = ()
    """Reasons for which torch runs code uncompiled after so many times."""
    cudagraph_skips: int = 0
    """Graphs that were to be replayed as a CUDA graph, and are not."""
    cudagraph_reasons: tuple[str, ...] = ()
    """Why, as far as torch keeps it."""
