"""Figures of findings about communication."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import Collectives, duration_of
from tbprof.rules.words import OTHER_VERSION
from tbprof.texts.figures.quantities import share


@dataclass(frozen=True, slots=True)
class ExposedCommunication(Figures):
    """Collectives of a kind and group with nothing computed beside them."""

    place: str
    exposed_per_step_ns: int
    share: float
    waiting_per_step_ns: int
    """At least so much of that is waiting for other ranks."""
    no_transfer_per_step_ns: int | None = None
    """At least so much is no transfer, waiting or not; reports before 2026-11-27 do not know."""

    def sentence(self, scope: Scope, /) -> str:
        exposed = duration_of(self.exposed_per_step_ns)
        part = f"{share(self.share)} of {scope.name}"
        said = f"{self.place}: {exposed} {scope.each}, {part}, with nothing computed beside it."
        if self.waiting_per_step_ns:
            waiting = duration_of(self.waiting_per_step_ns)
            return (
                f"{said} By the size of its messages at least {waiting} of that is waiting for other ranks."
            )
        if self.no_transfer_per_step_ns:
            other = duration_of(self.no_transfer_per_step_ns)
            return (
                f"{said} By the size of its messages at least {other} of that is no transfer: a rank comes "
                "late, or the exchange goes on after all have come."
            )
        return said


_DOES = {
    "gradient_as_bucket_view=True": "gradients are copied back from their buckets",
    "broadcast_buffers=False": "buffers are packed and sent before the forward, beside no computing",
    "find_unused_parameters=False": "the GPU is idle while the graph is searched for unused parameters",
}
"""What happens without each option to pass."""

_HOW = {
    "gradient_as_bucket_view=True": "Gradients then are views of the buckets.",
    "broadcast_buffers=False": "Each rank then keeps its own running statistics.",
    "find_unused_parameters=False": "It is right where every parameter gets a gradient in every step; "
    "`static_graph=True` where it is always the same ones that get none.",
}


@dataclass(frozen=True, slots=True)
class DdpOption(Figures):
    """What a default of DistributedDataParallel costs."""

    place: str
    """The option to pass."""
    per_step_ns: int
    share: float

    @property
    def order(self) -> str:
        return f"Pass `{self.place}` to DistributedDataParallel"

    @property
    def how(self) -> str:
        return _HOW.get(self.place, "")

    def sentence(self, scope: Scope, /) -> str:
        if self.place not in _DOES:
            return OTHER_VERSION
        spent = f"{duration_of(self.per_step_ns)} {scope.each}, {share(self.share)} of {scope.name}"
        return f"Without `{self.place}` {_DOES[self.place]}: {spent}."


@dataclass(frozen=True, slots=True)
class SmallMessages(Figures):
    """Small collectives of a kind and group."""

    place: str
    per_step: float
    exposed_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        beside = f"{duration_of(self.exposed_per_step_ns)} with nothing computed beside them"
        return f"{self.place}: {self.per_step:g} small collectives {scope.each}, {beside}."


@dataclass(frozen=True, slots=True)
class AwaitedOnHost(Figures):
    """Waits of the host for communication."""

    waiting_per_step_ns: int
    share_of_wait: float

    def sentence(self, scope: Scope, /) -> str:
        waiting, part = duration_of(self.waiting_per_step_ns), share(self.share_of_wait)
        return f"For {waiting} {scope.each}, {part} of the wait, the GPU communicated and computed nothing."


@dataclass(frozen=True, slots=True)
class NeedlessExchange(Figures):
    """Collectives that are sent before the last pass of an accumulation."""

    passes: int
    collectives_per_step: float
    exposed_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        beside = f"{duration_of(self.exposed_per_step_ns)} with nothing computed beside them"
        sent = f"{self.collectives_per_step:g} collectives {scope.each} are sent before the last pass"
        return f"{sent}, {beside} ({self.passes:g} passes)."


@dataclass(frozen=True, slots=True)
class SlowedCopies(Figures):
    """Copies beside communication."""

    copies_per_step: float
    longer_per_step_ns: int
    longer_share: float

    def sentence(self, scope: Scope, /) -> str:
        longer, part = duration_of(self.longer_per_step_ns), share(self.longer_share)
        beside = f"{self.copies_per_step:g} copies {scope.each} run beside communication"
        return f"{beside} and take {part}, {longer}, longer than others."


@dataclass(frozen=True, slots=True)
class SlowedKernels(Figures):
    """Kernels beside communication."""

    kernels_per_step: float
    longer_per_step_ns: int
    longer_share: float

    def sentence(self, scope: Scope, /) -> str:
        longer, part = duration_of(self.longer_per_step_ns), share(self.longer_share)
        beside = f"{self.kernels_per_step:g} kernels {scope.each} run beside communication"
        return f"{beside} and take {part}, {longer}, longer than their like without it."


FOUND: Mapping[str, type[Figures]] = {
    "DST01": ExposedCommunication,
    "DST03": DdpOption,
    "DST04": SmallMessages,
    "DST05": AwaitedOnHost,
    "DST06": NeedlessExchange,
    "DST07": SlowedCopies,
    "DST09": SlowedKernels,
}

LOOKED_AT: Mapping[str, type[Figures]] = dict.fromkeys(FOUND, Collectives)
