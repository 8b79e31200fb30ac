"""Figures of findings about copies."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import Copies, EventsInSteps, Reads, Uploads, duration_of
from tbprof.texts.figures.quantities import count, duration, mean, size


@dataclass(frozen=True, slots=True)
class PageableUploads(Figures):
    """Uploads from pageable memory."""

    bytes: int
    call_ns: int
    is_batch: bool | None = None
    """Whether they are a batch of the data loader; None where an earlier version took all for one."""
    is_staged_without_wait: bool | None = None
    """True where the host copies them itself, and is not blocked until the device has them; else None."""
    pinned_gb_per_s: float | None = None
    """What they would reach then, pinned; None where that is not known."""
    is_rate_measured: bool | None = None
    """Whether a copy of the window reaches it; else it is the device's link."""
    copying_ns: int | None = None
    """What copies that block take on the device, where pinned ones would take much less."""

    def sentence(self, _: Scope, /) -> str:
        sizes = f"{size(self.bytes)} in the window, {duration_of(self.call_ns)} in the calls."
        if self.is_staged_without_wait:
            sizes += f" The host copies them itself, and launches nothing meanwhile{self._pinned}."
        if self.copying_ns is not None:
            copying = duration_of(self.copying_ns)
            sizes += f" The copies themselves take {copying}{self._pinned}."
        return f"{sizes} It is not a batch." if self.is_batch is False else sizes

    @property
    def _pinned(self) -> str:
        if self.pinned_gb_per_s is None:
            return ""
        of = "as others of this window are" if self.is_rate_measured else "as fast as the device's link is"
        pinned = duration(self.bytes / self.pinned_gb_per_s / 1000)
        return f"; pinned, {of}, they would take {pinned}"


@dataclass(frozen=True, slots=True)
class BlockingUploads(Figures):
    """Uploads that block though their memory is pinned."""

    bytes: int


@dataclass(frozen=True, slots=True)
class RepeatedUploads(Figures):
    """Uploads of what another step has uploaded."""

    bytes: int
    copy_bytes: int
    """The size of each."""
    proven: bool
    """Whether the hook compared them."""

    def sentence(self, _: Scope, /) -> str:
        each = size(self.copy_bytes)
        if self.proven:
            return f"The hook compared them: the same {each} in one step after another."
        return f"{each} each time; whether they are the same bytes was not compared."


@dataclass(frozen=True, slots=True)
class MovedFactories(Figures):
    """Uploads of tensors that the host has just made."""

    bytes: int


@dataclass(frozen=True, slots=True)
class ListUploads(Figures):
    """Uploads of what Python held in numbers."""

    bytes: int
    op: str | None = None
    """The op that they are the index of; None where they are none."""

    def sentence(self, _: Scope, /) -> str:
        if not self.op:
            return ""
        return f"{self.op} has an index on the host: one tensor of the device, made once, is not copied."


@dataclass(frozen=True, slots=True)
class Constructions(Figures):
    """Modules or optimizers that are built in each step at one place."""

    place: str
    objects_per_step: float
    build_ns: int | None = None
    """How long building takes; None where no frames were recorded."""

    def sentence(self, scope: Scope, /) -> str:
        objects = float(self.objects_per_step)
        return f"{self.place}: {mean(objects)} {'object' if objects == 1 else 'objects'} {scope.each}."


@dataclass(frozen=True, slots=True)
class SmallCopies(Figures):
    """Small copies of one piece of code."""

    copies_per_step: float
    """The copies of the median step."""
    median_bytes: int
    bytes: int

    def sentence(self, scope: Scope, /) -> str:
        return f"{self.copies_per_step:g} copies {scope.each}, of {size(self.median_bytes)} each."


@dataclass(frozen=True, slots=True)
class RoundTrips(Figures):
    """Data that leaves the device and comes back."""

    trips: int
    bytes: int

    def sentence(self, _: Scope, /) -> str:
        return f"{count(self.trips, 'round trip')}, {size(self.bytes)} in all."


@dataclass(frozen=True, slots=True)
class ExposedUploads(Figures):
    """Uploads on a stream that computes."""

    bytes: int
    device_ns: int
    exposed_ns: int

    def sentence(self, _: Scope, /) -> str:
        exposed, device = duration_of(self.exposed_ns), duration_of(self.device_ns)
        return f"{exposed} of the {device} that it takes are hidden by nothing."


@dataclass(frozen=True, slots=True)
class UnawaitedReads(Figures):
    """Reads after which nobody waits."""

    bytes: int
    """The bytes of those."""
    copies: int
    """All copies of the site."""


@dataclass(frozen=True, slots=True)
class Pinning(Figures):
    """Calls that pin memory in the steps."""

    call_ns: int
    calls_per_step: float


@dataclass(frozen=True, slots=True)
class WidenedUploads(Figures):
    """Uploads of what the host has cast to a wider type."""

    copies: int
    bytes: int
    spared_bytes: int
    """What the narrow type does not have."""


@dataclass(frozen=True, slots=True)
class SlowCopies(Figures):
    """Large copies from or to pinned memory."""

    copies: int
    bytes: int
    gb_per_s: float
    best_gb_per_s: float
    """The rate of the fastest such copy in the window."""

    def sentence(self, _: Scope, /) -> str:
        return f"{self.gb_per_s:g} GB/s, where {self.best_gb_per_s:g} GB/s were seen in the same window."


FOUND: Mapping[str, type[Figures]] = {
    "CPY01": PageableUploads,
    "CPY02": BlockingUploads,
    "CPY03": RepeatedUploads,
    "CPY04": MovedFactories,
    "CPY05": ListUploads,
    "CPY06": Constructions,
    "CPY07": SmallCopies,
    "CPY08": RoundTrips,
    "CPY09": ExposedUploads,
    "CPY10": UnawaitedReads,
    "CPY11": Pinning,
    "CPY12": WidenedUploads,
    "CPY13": SlowCopies,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    **dict.fromkeys(("CPY01", "CPY02", "CPY03", "CPY04", "CPY05", "CPY09", "CPY12"), Uploads),
    **dict.fromkeys(("CPY06", "CPY11"), EventsInSteps),
    **dict.fromkeys(("CPY07", "CPY08", "CPY13"), Copies),
    "CPY10": Reads,
}
