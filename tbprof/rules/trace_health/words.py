"""Figures of findings about the recording itself."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import EventsInSteps, duration_of
from tbprof.texts.figures.quantities import share


@dataclass(frozen=True, slots=True)
class BeforeFirstWork(Figures):
    """First calls before the device's first work, where these are much of a recording."""

    before_ns: int
    recording_ns: int


@dataclass(frozen=True, slots=True)
class LongestCall(Figures):
    """How many first calls there are, and the longest of them."""

    loading_calls: int
    longest_call: str
    longest_op: str
    """The innermost op around it; "" where there is none."""
    longest_ns: int

    @property
    def name(self) -> str:
        """The call with its op."""
        return f"{self.longest_call} in {self.longest_op}" if self.longest_op else self.longest_call


@dataclass(frozen=True, slots=True)
class FirstCalls(Figures):
    """Cold steps, and calls that load kernels or start the device."""

    cold_steps: int
    first_step_ns: int
    median_step_ns: int
    """The median of the steps that are not cold."""
    loading_ns: int
    loading_idle_ns: int
    before: BeforeFirstWork | None = None
    longest: LongestCall | None = None
    """None where no first call was recorded."""

    def sentence(self, _: Scope, /) -> str:
        said = []
        if self.cold_steps:
            first, usual = duration_of(self.first_step_ns), duration_of(self.median_step_ns)
            said.append(f"The first step took {first}, the others {usual}.")
        if self.longest is not None:
            said.append(self._calls(self.longest))
        if self.before is not None:
            is_all = self.before.before_ns == self.loading_ns
            part = "That is" if is_all else f"{duration_of(self.before.before_ns)} of that is"
            said.append(f"{part} before the GPU's first work.")
        return " ".join(said)

    def _calls(self, longest: LongestCall) -> str:
        spent = duration_of(self.loading_ns)
        if longest.loading_calls == 1:
            return f"A first call, {longest.name}, took {spent}."
        calls = f"{longest.loading_calls:,} first calls took {spent}"
        return f"{calls}; the longest, {longest.name}, took {duration_of(longest.longest_ns)}."


@dataclass(frozen=True, slots=True)
class ProfilerOverhead(Figures):
    """What recording takes."""

    overhead_share: float
    frames_share: float
    inflation: float | None = None
    """How much longer recorded steps are, 0.2 for a fifth; None where that was not measured."""


@dataclass(frozen=True, slots=True)
class LittleOverhead(Figures):
    """What recording takes, where that is little."""

    share: float

    def sentence(self, scope: Scope, /) -> str:
        return f"Recording is seen to take {share(self.share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class Gaps(Figures):
    """What a trace lacks."""

    damaged: bool
    """Whether events of the file were lost."""
    without_launch: int
    """Device rows whose launch is not recorded."""
    before_launch: int
    """Device rows that begin before their launch."""
    unnamed_waits: int
    """Calls that make a stream wait for one that has no name."""


@dataclass(frozen=True, slots=True)
class HostAhead(Figures):
    """Steps that the device ends after the host."""

    steps: int
    worst_lag_ns: int
    worst_share: float | None = None
    """The longest lag as a share of the step on the host; None where it is longer than a step."""
    worst_steps: float | None = None
    """The longest lag as a number of steps; None where it is shorter than a step."""

    def sentence(self, _: Scope, /) -> str:
        return f"At worst the GPU ends {duration_of(self.worst_lag_ns)} after the step on the host."


FOUND: Mapping[str, type[Figures]] = {
    "TRC01": FirstCalls,
    "TRC02": ProfilerOverhead,
    "TRC03": Gaps,
    "TRC04": HostAhead,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "TRC01": EventsInSteps,
    "TRC02": LittleOverhead,
    "TRC03": EventsInSteps,
    "TRC04": EventsInSteps,
}
