"""Figures that rules of several families have: what they looked at where they found nothing."""

from __future__ import annotations

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import count, duration, size

_NS_PER_US = 1000


def duration_of(ns: int) -> str:
    """A duration that is known in ns."""
    return duration(ns / _NS_PER_US)


def about(mean: float) -> str:
    """A mean of counts as a whole number, which is said to be one only where it is."""
    if mean < 1:
        return f"{mean:g}"
    return f"{mean:,.0f}" if float(mean).is_integer() else f"about {mean:,.0f}"


@dataclass(frozen=True, slots=True)
class NoFigures(Figures):
    """A finding of which its rule's page says all."""


@dataclass(frozen=True, slots=True)
class SyncPoints(Figures):
    """The sync points of a window, none of which is of the kind that a rule finds."""

    sync_points: int
    sites: int

    def sentence(self, _: Scope, /) -> str:
        if not self.sync_points:
            return "The window has no sync point."
        return f"{count(self.sync_points, 'sync point')} looked at, none is of this kind."


@dataclass(frozen=True, slots=True)
class Uploads(Figures):
    """The copies to the device."""

    copies: int
    bytes: int

    def sentence(self, _: Scope, /) -> str:
        return _copies_words("copies to the device", self.copies, self.bytes)


@dataclass(frozen=True, slots=True)
class Reads(Figures):
    """The copies to the host."""

    copies: int
    bytes: int

    def sentence(self, _: Scope, /) -> str:
        return _copies_words("copies to the host", self.copies, self.bytes)


@dataclass(frozen=True, slots=True)
class Copies(Figures):
    """The copies in all directions."""

    copies: int
    bytes: int

    def sentence(self, _: Scope, /) -> str:
        return _copies_words("copies", self.copies, self.bytes)


def _copies_words(name: str, copies: int, size_bytes: int) -> str:
    """Says that none of them is what a rule finds; `name` is how several are called."""
    if not copies:
        return f"The window has no {name}."
    return f"{copies:,} {name} of {size(size_bytes)} looked at, none is of this kind."


@dataclass(frozen=True, slots=True)
class EventsInSteps(Figures):
    """The host's events of the steps."""

    steps: int
    events: int

    def sentence(self, _: Scope, /) -> str:
        return f"{count(self.events, 'event')} of {count(self.steps, 'step')} looked at, nothing found."


@dataclass(frozen=True, slots=True)
class ShortPauses(Figures):
    """The idle after short pauses between launches."""

    launches: int
    short_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        words = "those that follow one another at once"
        return _pauses_words(self.launches, words, self.short_per_step_ns, scope)


@dataclass(frozen=True, slots=True)
class LongPauses(Figures):
    """The idle after long pauses between launches."""

    launches: int
    long_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        return _pauses_words(self.launches, "pauses between them", self.long_per_step_ns, scope)


def _pauses_words(launches: int, words: str, idle_per_step_ns: int, scope: Scope) -> str:
    """Says for how long the launches that `words` describe leave the device idle."""
    idle = duration_of(idle_per_step_ns)
    return f"{count(launches, 'launch', 'launches')}: {words} leave the GPU idle for {idle} {scope.each}."


@dataclass(frozen=True, slots=True)
class Collectives(Figures):
    """The collectives, and how long nothing is computed beside them."""

    collectives: int
    exposed_per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        exposed, found = duration_of(self.exposed_per_step_ns), count(self.collectives, "collective")
        return f"{found}, with nothing computed beside them for {exposed} {scope.each}."
