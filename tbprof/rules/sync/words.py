"""Figures of findings about waits for the GPU."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import NoFigures, SyncPoints, duration_of
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class QueueWait(Figures):
    """What the host runs into that no longer waits for a value."""

    queue_per_step_ns: int
    """How long launches wait for a full queue without it."""
    queue_takes_all: bool = False
    """Whether the window gets hardly shorter by that."""

    def sentence(self, scope: Scope, /) -> str:
        waits = f"its launches wait {duration_of(self.queue_per_step_ns)} {scope.each} for room there"
        moves = ": the wait moves there, and hardly anything is won" if self.queue_takes_all else ""
        full = "Without it the host runs ahead until CUDA's queue of 1,024 launches is full"
        return f"{full}, and {waits}{moves}."


@dataclass(frozen=True, slots=True)
class ScalarReads(Figures):
    """Reads of one number at a site."""

    bytes: int
    queue: QueueWait | None = None
    """None where the queue is not full without it, or no replay tells."""

    def sentence(self, scope: Scope, /) -> str:
        return "" if self.queue is None else self.queue.sentence(scope)


@dataclass(frozen=True, slots=True)
class DynamicShape(Figures):
    """An op whose result's shape depends on data."""

    op: str
    """The one that the user called."""

    def sentence(self, _: Scope, /) -> str:
        instead = _WITHOUT_READING.get(self.op)
        said = f"{self.op} reads back how large its result is"
        return f"{said}. {instead}." if instead else f"{said}."


_BY_MASK = "`torch.where(mask, new, x)`, with `new` as large as `x`, does not"
_BY_SIZE = "`torch.nonzero_static(x, size=n)` with the most there can be does not, nor does keeping the mask"
_WITHOUT_READING = {
    "aten::bincount": (
        "`torch.zeros(n).scatter_add_(0, x, torch.ones(len(x)))` on the device, with a known `n`, does not; "
        "`minlength` changes nothing"
    ),
    "aten::repeat_interleave": "With `output_size=` it does not",
    "aten::one_hot": "With `num_classes=` it does not",
    "aten::histc": "With `min=` and `max=` it does not",
    "aten::index_put_": _BY_MASK,
    "aten::index_put": _BY_MASK,
    "aten::index": "`torch.where(mask, x, 0)` keeps the shape and does not",
    "aten::masked_select": "`torch.where(mask, x, 0)` keeps the shape and does not",
    "aten::nonzero": _BY_SIZE,
    "aten::nonzero_numpy": _BY_SIZE,
    "aten::argwhere": _BY_SIZE,
}
"""What gives the same without a read, for ops of which torch's source says so. `bincount` reads the least and
the largest value whatever is passed; masks that write one number are `masked_fill_` already."""


@dataclass(frozen=True, slots=True)
class TensorReads(Figures):
    """Reads of whole tensors at a site."""

    bytes: int
    median_bytes: int


@dataclass(frozen=True, slots=True)
class LoopReads(Figures):
    """Reads at a site that is in a loop."""

    per_step: int
    """The largest number of one step."""

    def sentence(self, scope: Scope, /) -> str:
        return f"{self.per_step:g} round trips {scope.each}."


@dataclass(frozen=True, slots=True)
class Synchronizing(Figures):
    """Sync calls at a site."""

    call: str
    """The name of the call."""


@dataclass(frozen=True, slots=True)
class EndOfStepReads(Figures):
    """Reads at the ends of steps."""

    starve_ns: int
    """How long the device had nothing to do after them."""
    queue: QueueWait | None = None
    """None where the queue is not full without it, or no replay tells."""

    def sentence(self, scope: Scope, /) -> str:
        return "" if self.queue is None else self.queue.sentence(scope)


@dataclass(frozen=True, slots=True)
class HeldBack(Figures):
    """Launches that a wait of another thread held back."""

    launches: int
    lost_ns: int

    def sentence(self, _: Scope, /) -> str:
        launches = count(self.launches, "launch", "launches")
        return f"{launches} were held back by {duration_of(self.lost_ns)} in all."


@dataclass(frozen=True, slots=True)
class Masked(Figures):
    """Waits that hide one another."""

    joint_ns: int
    singles_ns: int
    """The sum of what each saves alone."""
    steps: int | None = None

    def sentence(self, scope: Scope, /) -> str:
        each = "in the window" if self.steps is None else scope.each
        joint_ns, singles_ns = (ns // (self.steps or 1) for ns in (self.joint_ns, self.singles_ns))
        return (
            f"Removing all of them saves {duration_of(joint_ns)} {each}, "
            f"one by one {duration_of(singles_ns)}: each hides behind the others."
        )


@dataclass(frozen=True, slots=True)
class BlockingLaunches(Figures):
    """Launches that return when their kernel is done."""

    share: float
    """The part of all launches, 0 to 1."""

    def sentence(self, _: Scope, /) -> str:
        return _blocking_words(self.share)


@dataclass(frozen=True, slots=True)
class LaunchesLookedAt(Figures):
    """All launches, hardly any of which is blocking."""

    share: float
    launches: int

    def sentence(self, _: Scope, /) -> str:
        return f"{self.launches:,} launches: {_blocking_words(self.share)}"


def _blocking_words(part: float) -> str:
    return f"{share(part)} of the launches return only when their kernel is done."


@dataclass(frozen=True, slots=True)
class NanChecks(Figures):
    """Reads that look for a value that is not finite."""

    kind: str
    """`anomaly` where autograd makes them, else `error_if_nonfinite`."""
    per_step: int | None = None
    """The largest number of one step; None where it is one check of a norm."""


@dataclass(frozen=True, slots=True)
class Unexplained(Figures):
    """Waits, and idle with work queued, that nothing in the recording explains."""

    queued_ns: int
    queued_share: float
    wait_ns: int
    wait_share: float

    def sentence(self, scope: Scope, /) -> str:
        return _unexplained_words(self.wait_share, self.queued_share, scope)


@dataclass(frozen=True, slots=True)
class HardlyUnexplained(Figures):
    """The same where it is too little to matter."""

    queued_share: float
    wait_share: float

    def sentence(self, scope: Scope, /) -> str:
        return _unexplained_words(self.wait_share, self.queued_share, scope)


def _unexplained_words(wait_share: float, queued_share: float, scope: Scope) -> str:
    waits, queued = share(wait_share), share(queued_share)
    return f"{waits} of {scope.name} in such waits, {queued} idle with work queued."


FOUND: Mapping[str, type[Figures]] = {
    "SYN01": ScalarReads,
    "SYN02": NoFigures,
    "SYN03": DynamicShape,
    "SYN04": TensorReads,
    "SYN05": LoopReads,
    "SYN06": Synchronizing,
    "SYN07": EndOfStepReads,
    "SYN08": NoFigures,
    "SYN09": HeldBack,
    "SYN10": Masked,
    "SYN11": BlockingLaunches,
    "SYN12": NanChecks,
    "SYN13": Unexplained,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    **dict.fromkeys((f"SYN{number:02}" for number in (*range(1, 11), 12)), SyncPoints),
    "SYN11": LaunchesLookedAt,
    "SYN13": HardlyUnexplained,
}
