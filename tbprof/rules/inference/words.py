"""Figures of findings about programs that only infer."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import about, duration_of
from tbprof.texts.figures.quantities import count


@dataclass(frozen=True, slots=True)
class ActiveDropout(Figures):
    """Calls of dropout that drop something, and batch norms, which are in training mode as well."""

    calls: int
    per_step_ns: int
    norms_per_step_ns: int | None = None
    """None where an earlier version did not look at them."""
    share: float | None = None
    """What the calls take of the steps; None where they run on the host."""
    norms: int | None = None
    """How many batch norms there are."""

    def sentence(self, scope: Scope, /) -> str:
        if not self.calls and self.norms_per_step_ns is not None:
            norms = f"{count(self.norms or 0, 'batch norm')} compute statistics of their batch"
            return f"{norms}, {duration_of(self.norms_per_step_ns)} {scope.each}."
        calls = f"{self.calls:,} calls drop something"
        dropping = f"{calls}, {duration_of(self.per_step_ns)} {scope.each}"
        if not self.norms_per_step_ns:
            return f"{dropping}."
        return f"{dropping}; batch norms take {duration_of(self.norms_per_step_ns)}."


@dataclass(frozen=True, slots=True)
class IdleDropout(Figures):
    """Calls of dropout, none of which drops anything."""

    calls: int

    def sentence(self, _: Scope, /) -> str:
        return f"{self.calls:,} calls of dropout, none of which drops anything."


@dataclass(frozen=True, slots=True)
class AutogradNodes(Figures):
    """Nodes that autograd makes for a backward pass that does not come."""

    per_step: float

    def sentence(self, scope: Scope, /) -> str:
        nodes = f"{about(self.per_step)} {'node' if self.per_step == 1 else 'nodes'} {scope.each}"
        return f"Autograd makes {nodes} for a backward pass that is not there."


@dataclass(frozen=True, slots=True)
class OpsWithoutGraph(Figures):
    """Operators, of which autograd keeps no graph."""

    ops: int

    def sentence(self, _: Scope, /) -> str:
        return f"{count(self.ops, 'operator')} ran, and autograd kept no graph of them."


@dataclass(frozen=True, slots=True)
class Latencies(Figures):
    """The latencies of requests; the first shows what warming up takes."""

    requests: int
    """All but those that warmed up, of which only `first_ns` is one."""
    p50_ns: int
    p99_ns: int
    first_ns: int
    per_s: float

    def sentence(self, _: Scope, /) -> str:
        median, slowest = duration_of(self.p50_ns), duration_of(self.p99_ns)
        requests = count(self.requests, "request")
        rates = f"p50 {median}, p99 {slowest}, {self.per_s:g} a second in turn"
        return f"{requests}: {rates}; the first took {duration_of(self.first_ns)}."


@dataclass(frozen=True, slots=True)
class SlowRequests(Figures):
    """Requests that take far longer than most."""

    slow: int
    latencies: Latencies

    def sentence(self, scope: Scope, /) -> str:
        slow = f"{count(self.slow, 'request')} of {self.latencies.requests:,}"
        return f"{slow} took twice the median or longer. {self.latencies.sentence(scope)}"


FOUND: Mapping[str, type[Figures]] = {
    "INF01": ActiveDropout,
    "INF02": AutogradNodes,
    "INF03": SlowRequests,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "INF01": IdleDropout,
    "INF02": OpsWithoutGraph,
    "INF03": Latencies,
}
