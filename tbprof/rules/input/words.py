"""Figures of findings about the input pipeline."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import duration_of
from tbprof.texts.figures.quantities import count, share, size


@dataclass(frozen=True, slots=True)
class Starvation(Figures):
    """The idle of the device that the loader causes."""

    exposed_per_step_ns: int
    share: float
    drained_by: int | None = None
    """The site whose wait most of this idle began in; None where no wait drained the queue before."""
    place: str = ""
    """The function that most of it is spent in, else the data set, else where the batch is taken; "" where
    nothing is known.
    """
    place_share: float | None = None
    """The share of the idle that is spent in that function; None of another place."""

    def sentence(self, scope: Scope, /) -> str:
        if not self.place_share:
            return _idle_words(self.exposed_per_step_ns, self.share, scope, self.place)
        idle = _idle_words(self.exposed_per_step_ns, self.share, scope)
        return f"{idle} {share(self.place_share)} of that in {self.place}."


@dataclass(frozen=True, slots=True)
class SingleProcess(Figures):
    """The same idle where the training process loads the data itself."""

    exposed_per_step_ns: int
    share: float

    def sentence(self, scope: Scope, /) -> str:
        return _idle_words(self.exposed_per_step_ns, self.share, scope)


@dataclass(frozen=True, slots=True)
class LoaderCalls(Figures):
    """Calls of the loader for which the device hardly waits."""

    batches: int
    exposed_per_step_ns: int
    share: float

    def sentence(self, scope: Scope, /) -> str:
        idle = _idle_words(self.exposed_per_step_ns, self.share, scope)
        return f"{count(self.batches, 'call')} of the loader. {idle}"


def _idle_words(exposed_per_step_ns: int, part: float, scope: Scope, place: str = "") -> str:
    exposed, at = duration_of(exposed_per_step_ns), f" ({place})" if place else ""
    return f"The GPU is idle {exposed} {scope.each} for it{at}, {share(part)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class LateWorkers(Figures):
    """Workers that do not keep up, and how many would."""

    place: str
    """The class of the data set."""
    workers: int
    enough: int
    exposed_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        late = f"{self.workers} workers are late by {duration_of(self.exposed_per_step_ns)} {scope.each}"
        return f"{late}: {self.enough} would keep up, if the machine has the cores."


@dataclass(frozen=True, slots=True)
class KeepingUp(Figures):
    """Workers that keep up."""

    workers: int
    exposed_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        exposed = duration_of(self.exposed_per_step_ns)
        return f"{self.workers} workers keep up: the GPU waits {exposed} {scope.each} for batches."


@dataclass(frozen=True, slots=True)
class UnpinnedBatches(Figures):
    """Large uploads from pageable memory beside loaders none of which pins."""

    place: str
    """The class of the data set."""
    uploads: int
    bytes: int

    def sentence(self, _: Scope, /) -> str:
        copies = f"{self.uploads:,} large copies of {size(self.bytes)}"
        return f"{copies} from pageable memory, and no loader pins."


@dataclass(frozen=True, slots=True)
class PinningLoaders(Figures):
    """Loaders, some of which pin, and the uploads from pageable memory."""

    loaders: int
    pinning: int
    uploads: int

    def sentence(self, _: Scope, /) -> str:
        pinning = f"{self.pinning} of {self.loaders} loaders pin their batches"
        return f"{pinning}; {self.uploads:,} large copies come from pageable memory."


@dataclass(frozen=True, slots=True)
class LoadingOnHost(Figures):
    """How long the training thread loads data."""

    loading_per_step_ns: int
    share: float
    place: str = ""
    """See the fields of these names of `Starvation`."""
    place_share: float | None = None

    def sentence(self, scope: Scope, /) -> str:
        spent, part = duration_of(self.loading_per_step_ns), share(self.share)
        at = f" ({self.place})" if self.place and not self.place_share else ""
        loads = f"The training thread loads data{at} for {spent} {scope.each}, {part} of {scope.name}."
        return f"{loads} {share(self.place_share)} of that in {self.place}." if self.place_share else loads


FOUND: Mapping[str, type[Figures]] = {
    "DAT01": Starvation,
    "DAT02": SingleProcess,
    "DAT03": LateWorkers,
    "DAT04": UnpinnedBatches,
    "DAT05": LoadingOnHost,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "DAT01": LoaderCalls,
    "DAT02": LoaderCalls,
    "DAT03": KeepingUp,
    "DAT04": PinningLoaders,
    "DAT05": LoadingOnHost,
}
