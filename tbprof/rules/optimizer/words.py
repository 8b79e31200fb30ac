"""Figures of findings about the optimizer."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import duration_of
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class OptimizerKernels(Figures):
    """The kernels that calls of an optimizer launch."""

    place: str
    """The optimizer's class."""
    share: float
    per_step_ns: int
    calls: int
    kernels: float
    """The kernels of a call."""

    def sentence(self, scope: Scope, /) -> str:
        spent = f"{duration_of(self.per_step_ns)} {scope.each}, {share(self.share)} of {scope.name}"
        return f"{self.place}: {self.kernels:g} kernels a call, {spent}."


@dataclass(frozen=True, slots=True)
class OptimizerSteps(Figures):
    """Steps of optimizers that launch few kernels."""

    calls: int
    kernels: float
    share: float

    def sentence(self, scope: Scope, /) -> str:
        return _calls_words("optimizer step", self.calls, self.kernels, self.share, scope)


@dataclass(frozen=True, slots=True)
class ZeroGrads(Figures):
    """Calls of `zero_grad` that launch few kernels."""

    calls: int
    kernels: float
    share: float

    def sentence(self, scope: Scope, /) -> str:
        return _calls_words("zero_grad", self.calls, self.kernels, self.share, scope)


def _calls_words(one: str, calls: int, kernels: float, part: float, scope: Scope) -> str:
    """Says what such calls launch; `one` is how one is called."""
    return f"{count(calls, one)} with {kernels:g} kernels each, {share(part)} of {scope.name}."


FOUND: Mapping[str, type[Figures]] = {
    "OPT01": OptimizerKernels,
    "OPT02": OptimizerKernels,
    "OPT03": OptimizerKernels,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "OPT01": OptimizerSteps,
    "OPT02": OptimizerSteps,
    "OPT03": ZeroGrads,
}
