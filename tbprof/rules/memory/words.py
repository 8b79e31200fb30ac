"""Figures of findings about memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import EventsInSteps, about, duration_of
from tbprof.texts.figures.places import place_words
from tbprof.texts.figures.quantities import count, share, size


@dataclass(frozen=True, slots=True)
class DriverCalls(Figures):
    """Calls of the driver for memory in steps that should need none."""

    place: str
    """The code in which most of them are; "" where none is known."""
    calls_per_step: float
    call_per_step_ns: int
    idle_per_step_ns: int
    retries: int
    """How often the cache was emptied since memory was short."""

    def sentence(self, scope: Scope, /) -> str:
        number = about(self.calls_per_step)
        spent = duration_of(self.call_per_step_ns)
        calls = f"{number} {'call' if number == '1' else 'calls'} of the driver, {spent} {scope.each}"
        place = place_words(self.place)
        said = f"{calls}, most of it in {place}." if place else f"{calls}."
        if not self.retries:
            return said
        return f"{said} Memory was short: the cache was emptied {count(self.retries, 'time')} to go on."


@dataclass(frozen=True, slots=True)
class CacheFlushes(Figures):
    """Blocks that are given back to the driver, and allocated again."""

    empty_cache_calls: int
    frees: int
    allocations: int
    call_ns: int
    is_uncached: bool | None = None
    """Whether there is no cache; None where an earlier version did not look."""

    def sentence(self, _: Scope, /) -> str:
        frees = count(self.frees, "block was freed", "blocks were freed")
        said = f"{frees} and {self.allocations:,} allocated, {duration_of(self.call_ns)} in the calls."
        if not self.is_uncached:
            return said
        return f"Each tensor is allocated and freed by the driver: the caching allocator is off. {said}"


@dataclass(frozen=True, slots=True)
class Fragmented(Figures):
    """What lay in the cache when more was taken from the device."""

    device: str
    free_bytes: int
    reserved_bytes: int
    taken_bytes: int

    def sentence(self, _: Scope, /) -> str:
        free = f"{size(self.free_bytes)} of {size(self.reserved_bytes)} were free in the cache"
        return f"{self.device}: {free} when {size(self.taken_bytes)} more were taken."


@dataclass(frozen=True, slots=True)
class Reserved(Figures):
    """What the allocator held, and gave of it."""

    reserved_bytes: int
    share: float

    def sentence(self, _: Scope, /) -> str:
        return (
            f"The allocator held up to {size(self.reserved_bytes)} and gave up to {share(self.share)} of it."
        )


@dataclass(frozen=True, slots=True)
class Recomputation(Figures):
    """What the second forward pass takes."""

    share: float
    per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        spent, part = duration_of(self.per_step_ns), share(self.share)
        return f"The second forward pass takes {spent} {scope.each}, {part} of {scope.name}."


@dataclass(frozen=True, slots=True)
class Checkpointed(Figures):
    """Checkpointed calls, and what computing them again takes."""

    calls: int
    share: float

    def sentence(self, scope: Scope, /) -> str:
        again = f"computing them again takes {share(self.share)} of {scope.name}"
        return f"{self.calls:,} checkpointed calls; {again}."


@dataclass(frozen=True, slots=True)
class GrowingMemory(Figures):
    """What a device holds more after each step."""

    device: str
    place: str
    """The function or operator that allocates most of it; "" where none does."""
    operator: str
    module: str
    place_per_step_bytes: int
    per_step_bytes: int
    peak_bytes: int
    is_graph: bool
    """Whether results that autograd recorded are kept."""
    may_replace_older: bool
    is_line: bool | None = None
    """Whether the line is known; None where an earlier version took it to be."""

    def sentence(self, _: Scope, /) -> str:
        place = place_words(self.place)
        where = f", most of it allocated in {place}" if place else ", outside of every operator"
        inside = f" of module {self.module}" if self.module and place else ""
        return " ".join(
            (
                f"{self.device}: {size(self.per_step_bytes)} more in each step{where}{inside}.",
                *self._remarks(),
            )
        )

    def _remarks(self) -> Iterator[str]:
        if self.may_replace_older:
            yield (
                "Whether older memory is given back for it, as by a queue that is full, is not recorded"
                " on a CPU."
            )
        if self.is_line is False:
            yield "At which line of it, a trace does not say; with `memory=True` the hook records it."
        if self.is_graph:
            yield "Results of several operators that autograd recorded are kept: a tensor with its graph is."


@dataclass(frozen=True, slots=True)
class SteadyMemory(Figures):
    """Blocks, of which no place keeps many."""

    blocks: int
    steps: int

    def sentence(self, _: Scope, /) -> str:
        blocks = count(self.blocks, "block")
        return f"{blocks} in {self.steps} steps: no place keeps {size(MIN_GROWTH_BYTES)} or more in each."


MIN_GROWTH_BYTES = 10_000
"""In a step: 1 GB in 100,000 of them."""


FOUND: Mapping[str, type[Figures]] = {
    "MEM01": DriverCalls,
    "MEM02": CacheFlushes,
    "MEM03": Fragmented,
    "MEM04": Recomputation,
    "MEM05": GrowingMemory,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "MEM01": EventsInSteps,
    "MEM02": EventsInSteps,
    "MEM03": Reserved,
    "MEM04": Checkpointed,
    "MEM05": SteadyMemory,
}
