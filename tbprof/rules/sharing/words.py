"""Figures of findings about a shared device."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class OtherProcesses(Figures):
    """Other processes on the device."""

    others: int

    def sentence(self, _: Scope, /) -> str:
        return f"{count(self.others, 'other process', 'other processes')} on the device."


@dataclass(frozen=True, slots=True)
class NoOtherProcess(Figures):
    """A device that no other process was on."""

    others: int

    def sentence(self, _: Scope, /) -> str:
        return "No other process was on the device."


@dataclass(frozen=True, slots=True)
class FallingClocks(Figures):
    """Kernels that take longer in the last half of the steps."""

    share: float
    per_step_ns: int
    slower: float
    """How much longer than their equals before, 0.1 for a tenth."""

    def sentence(self, scope: Scope, /) -> str:
        slower = f"equal kernels take {share(self.slower)} longer"
        return f"In the last half of the steps {slower}, {share(self.share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class SteadyClocks(Figures):
    """Kernels that take about as long in both halves of the steps."""

    slower: float
    share: float
    """The share of the time of all kernels in those that run in both halves."""
    kernels: int

    def sentence(self, _: Scope, /) -> str:
        way = "longer" if self.slower > 0 else "less long"
        compared = f"{self.kernels:,} kernels of the last half of the steps"
        return f"{compared} take {share(abs(self.slower))} {way} than their equals before."


FOUND: Mapping[str, type[Figures]] = {"SHR01": OtherProcesses, "SHR02": FallingClocks}

LOOKED_AT: Mapping[str, type[Figures]] = {"SHR01": NoOtherProcess, "SHR02": SteadyClocks}
