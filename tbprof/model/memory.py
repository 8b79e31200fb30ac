"""How much memory a window's allocators gave at most."""

from __future__ import annotations

from tbprof.model.sites import StepIndex
from tbprof.records import dataclass

MEMORY_KINDS = (
    *("parameters", "gradients", "optimizer state", "activations", "inputs", "temporaries", "other"),
)
"""Parameters are buffers of modules as well. Activations are what a forward made and a backward used or gave
back; inputs were made before the first module was called, or elsewhere, as by a DataLoader, and given to one;
others were there before the step, or outlived it, without being one of these."""


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """The most memory that one device, or the CPU, gave."""

    device: str
    """`CPU`, `GPU 0`, ..."""
    events: int
    peak_bytes: int
    """Allocated; above the lowest moment of the window where `is_recorded` is false."""
    peak_ns: int
    step: StepIndex | None
    """None outside every step, and where none are marked."""
    reserved_bytes: int | None
    """The most that the allocator held; None where it keeps no cache, or did not say."""
    is_recorded: bool
    """Whether the allocator said its totals: torch before 1.10 does not."""


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """A step that was followed, on the fullest device.

    Bytes are those that tensors asked for, without an allocator's rounding.
    """

    schema: int
    worker: str
    step: int
    """The steps that were over when it began."""
    device: str
    """`CPU` or `GPU 0`."""
    peak_bytes: int
    peak_us: float
    """Since the step began."""
    phase: str
    """The phase of the peak: `forward`, `backward` or `optimizer`."""
    kinds: tuple[tuple[str, int], ...]
    """At the peak, in the order of `MEMORY_KINDS`."""
    modules: tuple[tuple[str, int], ...]
    """At the peak, the largest first; "" is what no module made or has."""
    lines: tuple[tuple[str, int], ...]
    """At the peak, by the line that allocated; "" where none of the program's did in this step."""
    curve: tuple[tuple[float, ...], ...]
    """Time in us and the bytes of each of `MEMORY_KINDS`, over the step."""
    cached_bytes: int | None
    """What torch's allocator held unused at the end of the step; None on the CPU, where it keeps no cache."""
    is_whole: bool
    """Whether all was followed; else there was too much of it, or no time."""
    cached_curve: tuple[int, ...] | None = None
    """At each point of `curve`, what lay unused in torch's cache: read at most each 0.2 ms, and in between
    less what storages took and gave back. None on the CPU, and in files of earlier versions."""
    cached_at_peak_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class HeldTensors:
    """The tensors of one device, by storage, each counted once. What Python never knew is not among them."""

    parameters_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    """State of optimizers, such as Adam's moments."""
    saved_bytes: int
    """Other tensors that torch itself holds: activations and inputs, saved for the backward pass."""
    other_bytes: int
    """The bytes that the program alone holds, among them results and what lists keep."""
    largest: tuple[tuple[str, int, int], ...]
    """The largest of the saved and the others: shape and type as text, how many, and their bytes."""
    is_whole: bool
    """Whether all were looked at; else there was no time for it."""


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """Sizes are None where nobody said them."""

    schema: int
    worker: str
    step: int
    """Steps that were over."""
    device: str
    """`CPU` or `GPU 0`."""
    message: str
    frames: tuple[str, ...]
    """Where it was raised, as `file:line function`, the innermost first."""
    asked_bytes: int | None
    total_bytes: int | None
    """The size of the device; of the machine, or, where `is_address_limit`, what the process may have of
    addresses."""
    free_bytes: int | None
    allocated_bytes: int | None
    """What tensors had; on the CPU what the process had in all."""
    reserved_bytes: int | None
    """What torch's allocator held; None on the CPU, where it keeps no cache."""
    is_address_limit: bool
    """Whether the sizes are those of addresses, which `ulimit -v` bounds: more than is in use."""
    held: HeldTensors
