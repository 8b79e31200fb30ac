"""Figures of findings about fused ops."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import about, duration_of
from tbprof.texts.figures.places import place_words
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class WrittenOut(Figures):
    """A formula that is written out in ops, and what these take."""

    share: float
    per_step_ns: int
    written_out: int
    """How many times."""
    ops: int
    kernels: int
    per_time_ops: float
    place: str = ""
    """The function or label that most of them are in; "" where none is known."""

    def sentence(self, scope: Scope, /) -> str:
        times, spent = count(self.written_out, "time"), duration_of(self.per_step_ns)
        where = f", in {place_words(self.place)}" if self.place else ""
        return (
            f"Written out {times} as {about(self.per_time_ops)} ops that launch kernels{where}: "
            f"{spent} {scope.each}, {share(self.share)} of {scope.name}."
        )


@dataclass(frozen=True, slots=True)
class HardlyWrittenOut(Figures):
    """The ops that were looked at, and how many times the formula is there at no cost that matters."""

    ops: int
    written_out: int

    def sentence(self, _: Scope, /) -> str:
        if not self.written_out:
            return f"{self.ops:,} ops that launch kernels looked at: none of them write it out."
        times = f"{self.written_out:,} times"
        return f"{self.ops:,} ops looked at: it is written out {times}, in less than 1 % of the time."


FOUND: Mapping[str, type[Figures]] = {
    "FUS01": WrittenOut,
    "FUS02": WrittenOut,
    "FUS03": WrittenOut,
    "FUS04": WrittenOut,
    "FUS05": WrittenOut,
}

LOOKED_AT: Mapping[str, type[Figures]] = dict.fromkeys(FOUND, HardlyWrittenOut)
