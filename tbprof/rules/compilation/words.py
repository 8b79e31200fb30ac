"""Figures of findings about compilation."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import duration_of
from tbprof.texts.figures.places import place_words
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class CompilingIdle(Figures):
    """The idle that compiling causes."""

    idle_per_step_ns: int
    share: float
    on_host: bool | None = None
    """Whether there is no GPU, and it is what compiling takes."""

    def sentence(self, scope: Scope, /) -> str:
        idle, part = duration_of(self.idle_per_step_ns), share(self.share)
        if self.on_host:
            return f"Compiling takes {idle} {scope.each}, {part} of {scope.name}."
        return f"Compiling leaves the GPU idle for {idle} {scope.each}, {part} of {scope.name}."


@dataclass(frozen=True, slots=True)
class Compiled(Figures):
    """What compiling makes of calls of torch, and what of it a step runs."""

    graphs: int
    operations: int
    regions_per_step: float
    kernels_per_step: float
    """Kernels of a device only."""

    def sentence(self, _: Scope, /) -> str:
        operations, graphs = count(self.operations, "call"), count(self.graphs, "graph")
        made = f"{operations} of torch became {graphs}"
        regions = self.regions_per_step
        run = f"a step runs compiled code {'once' if regions == 1 else f'{regions:g} times'}"
        kernels = f" and {self.kernels_per_step:g} kernels of it." if self.kernels_per_step else "."
        return f"{made}; {run}{kernels}"


@dataclass(frozen=True, slots=True)
class BrokenGraph(Figures):
    """A place at which a graph is broken."""

    place: str
    reason: str
    compiled: Compiled

    def sentence(self, scope: Scope, /) -> str:
        where = f"{place_words(self.place)}: {self.reason}".rstrip(".")
        return f"{where}. {self.compiled.sentence(scope)}"


@dataclass(frozen=True, slots=True)
class NoBrokenGraph(Figures):
    """Compiled code of which no broken part runs in the steps."""

    breaks: int
    compiled: Compiled

    def sentence(self, scope: Scope, /) -> str:
        breaks = "No code with a broken graph runs in the steps" if self.breaks else "No graph is broken"
        return f"{breaks}. {self.compiled.sentence(scope)}"


@dataclass(frozen=True, slots=True)
class SkippedCudaGraphs(Figures):
    """CUDA graphs that torch gave up."""

    skips: int
    reason: str
    """The first of the reasons; "" where torch does not keep any."""

    def sentence(self, _: Scope, /) -> str:
        skipped, reason = f"{count(self.skips, 'time')} torch gave up a CUDA graph", self.reason.rstrip(".")
        return f"{skipped}: {reason}." if reason else f"{skipped}; it does not keep why."


@dataclass(frozen=True, slots=True)
class CudaGraphs(Figures):
    """Compiled graphs, none of which was given up in the steps."""

    graphs: int
    skips: int

    def sentence(self, _: Scope, /) -> str:
        graphs = count(self.graphs, "compiled graph")
        if not self.skips:
            return f"{graphs}, none of which was given up as a CUDA graph."
        return f"{graphs}, and no compiled code runs in the steps."


@dataclass(frozen=True, slots=True)
class Recompiled(Figures):
    """What was compiled again."""

    place: str
    reason: str
    given_up: bool
    """Whether torch runs it uncompiled since."""
    times: int
    compile_ms: int

    def sentence(self, _: Scope, /) -> str:
        where, reason = place_words(self.place), self.reason.rstrip(".")
        about = f"{where}: {reason}" if where else reason
        given_up = " Torch has given up, and runs it uncompiled." if self.given_up else ""
        return f"{about}. Compiled again {count(self.times, 'time')}, {self.compile_ms:,} ms.{given_up}"


@dataclass(frozen=True, slots=True)
class CompiledOnce(Figures):
    """Compiled graphs, none of which was compiled again in the steps."""

    graphs: int
    times: int
    compile_ms: int

    def sentence(self, _: Scope, /) -> str:
        graphs = count(self.graphs, "compiled graph")
        if not self.times:
            return f"{graphs}, none of them for something that was compiled before."
        times = count(self.times, "time")
        return f"{graphs}; compiled again {times} before the recorded steps, and not in them."


FOUND: Mapping[str, type[Figures]] = {
    "CMP01": CompilingIdle,
    "CMP02": BrokenGraph,
    "CMP03": SkippedCudaGraphs,
    "CMP04": Recompiled,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "CMP01": CompilingIdle,
    "CMP02": NoBrokenGraph,
    "CMP03": CudaGraphs,
    "CMP04": CompiledOnce,
}
