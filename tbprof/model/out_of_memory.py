"""What is known of an allocation that failed, as the hook leaves it."""

from __future__ import annotations

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class HeldTensors:
    """Of one device, by storage, each counted once. What Python never knew is none of them."""

    parameters_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    """State of optimizers, such as Adam's moments."""
    saved_bytes: int
    """Other tensors that torch itself holds: activations and inputs, saved for the backward pass."""
    other_bytes: int
    """Those that the program alone holds, among them results and what lists keep."""
    largest: tuple[tuple[str, int, int], ...]
    """Of the saved and the others: shape and type as text, how many, and their bytes; the largest first."""
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
    """Of the device; of the machine, or, where `is_address_limit`, what the process may have of addresses."""
    free_bytes: int | None
    allocated_bytes: int | None
    """What tensors had; on the CPU what the process had in all."""
    reserved_bytes: int | None
    """What torch's allocator held; None on the CPU, where it keeps no cache."""
    is_address_limit: bool
    """Whether the sizes are those of addresses, which `ulimit -v` bounds: more than is in use."""
    held: HeldTensors
