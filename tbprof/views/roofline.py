"""What the roofline shows. Times are us, rates TFLOP/s and TB/s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.views.answer import Problem, Progress


@dataclass(frozen=True, slots=True)
class Roof:
    """A level line: nothing of a type is faster. Left of its end the memory's slope is lower."""

    label: str
    """A label such as "bfloat16, matrix units"."""
    tflops: float
    from_flops_per_byte: float
    """Where it meets the slope of the memory."""


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """Calls of one operator with equal inputs."""

    name: str
    shapes: str
    """Shapes such as "[2, 3] x [3, 4]"."""
    kind: str
    """What it does, as "matrix products"."""
    row: int
    """The row of the trace: the first call, for its line and its place in the timeline."""
    calls: int
    device_us: float
    share: float
    """The share of the device's time."""
    flops_per_byte: float
    """0 for one that only moves; it has no place on a logarithmic axis."""
    tflops: float
    tb_s: float
    roof: int | None
    """Index into the roofs; null for a device that is not known."""
    bound: Literal["memory", "computing"] | None
    """What its limit is; null where that is not known, as the next two."""
    share_of_limit: float | None
    above_limit_us: float | None


@dataclass(frozen=True, slots=True)
class RooflineView:
    scope: Literal["steps", "trace"]
    marks_steps: bool
    device: str | None
    """The name in the device's data sheet; null for a slice, or one that is not known: then there are points
    only."""
    source: str
    """The source of its peaks; "" without."""
    memory_tb_s: float | None
    """The slope: TFLOP/s = TB/s x FLOPs a byte."""
    roofs: tuple[Roof, ...]
    """Highest first."""
    sentence: str
    missing: str
    """Why there is no point; "" where there is one."""
    device_us: float
    covered_us: float
    points: tuple[RooflinePoint, ...]
    """Most time first."""
    more_points: int
    """The number of points that are not among them; together they take `more_us`."""
    more_us: float


@dataclass(frozen=True, slots=True)
class RooflineAnswer:
    """`gone`: there is a report and no trace any more."""

    state: Literal["ready", "reading", "gone", "broken"]
    roofline: RooflineView | None
    progress: Progress | None
    problem: Problem | None
