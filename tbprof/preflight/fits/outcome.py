"""What is known of one batch size, as the process that ran it hands it on; and all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tbprof.preflight.fits.peak import Peak

Verdict: TypeAlias = Literal["fits", "may fit", "does not fit"]

_CONTEXT_LOW, _CONTEXT_HIGH = 250_000_000, 1_400_000_000
"""Of a process that has done nothing yet but load CUDA and kernels: the high one is the 1,343 MB that Hugging
Face's "Model training anatomy" reads from the driver; where kernels are loaded as they are needed (CUDA 11.7
and later) it is some hundreds of MB. An assumption, not a bound."""
_CUBLAS_WORKSPACES = 2 * 32 * 1024 * 1024
"""Of the handles of the forward and the backward thread: `getChosenWorkspaceSize` of torch's
aten/src/ATen/cuda/CublasHandlePool.cpp gives each 32 MiB on Hopper, and less elsewhere."""


@dataclass(frozen=True, slots=True)
class Outcome:
    batch: int
    steps: int
    """That were taken."""
    error: str
    """Why there is less, or nothing; "" for a run that ended well."""
    peak: Peak | None
    is_refusal: bool = False
    """Whether it would be the same with every other size."""


@dataclass(frozen=True, slots=True)
class Line:
    """Through a figure of the smallest and the largest batch."""

    per_sample_bytes: float
    fixed_bytes: float

    def samples_in(self, size_bytes: int) -> int:
        """That take so much; a figure that grows with the batch."""
        return max(int((size_bytes - self.fixed_bytes) / self.per_sample_bytes), 0)


@dataclass(frozen=True, slots=True)
class Growth:
    """Of the peak."""

    allocated: Line
    reserved: Line
    """In whole segments, and what operators have inside: of small batches it may be the same."""

    def largest_batches(self, device_bytes: int) -> tuple[int, int]:
        """What fits even with all that may be needed, and what with the least; `allocated` has to grow."""
        most = self.allocated.samples_in(device_bytes - _CONTEXT_LOW)
        surely = self.reserved if self.reserved.per_sample_bytes > 0 else self.allocated
        least = surely.samples_in(device_bytes - _CONTEXT_HIGH - _CUBLAS_WORKSPACES)
        return min(least, most), most


def growth_of(outcomes: Sequence[Outcome]) -> Growth | None:
    """None where fewer than two sizes are known."""
    known = {one.batch: one.peak for one in outcomes if one.peak is not None and not one.error}
    if len(known) < 2:
        return None
    small, large = min(known), max(known)

    def through(first_bytes: int, last_bytes: int) -> Line:
        slope = (last_bytes - first_bytes) / (large - small)
        return Line(slope, first_bytes - slope * small)

    return Growth(
        through(known[small].allocated_bytes, known[large].allocated_bytes),
        through(_with_inside(known[small]), _with_inside(known[large])),
    )


def needed_bytes(peak: Peak) -> tuple[int, int]:
    """Of the whole process, the least and the most that is to be expected.

    What an operator of the CPU has inside stands for what a GPU's may have, and counts in the most only.
    """
    most = _with_inside(peak) + _CONTEXT_HIGH + _CUBLAS_WORKSPACES
    return peak.allocated_bytes + _CONTEXT_LOW, most


def _with_inside(peak: Peak) -> int:
    return peak.reserved_bytes + peak.running_bytes - peak.requested_bytes


def verdict_of(peak: Peak, device_bytes: int) -> Verdict:
    least, most = needed_bytes(peak)
    if most <= device_bytes:
        return "fits"
    return "may fit" if least <= device_bytes else "does not fit"


def outcome_from(values: Mapping[str, object]) -> Outcome:
    """What `dataclasses.asdict` made of one."""
    peak = values["peak"]
    given = {**values, "peak": Peak(**peak) if isinstance(peak, dict) else None}
    return Outcome(**given)  # type: ignore[arg-type]
