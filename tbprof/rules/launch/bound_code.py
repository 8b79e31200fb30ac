"""Findings of code whose kernels are so short that the host can't keep up: what two rules share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tbprof.analysis.arrays.intervals import total_ns
from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.idle_places import LONG_PAUSE_NS, find_launch_idle, largest_cause
from tbprof.analysis.health.health import records_frames
from tbprof.analysis.savings.savings import earlier_host_ns
from tbprof.model import CRITICAL_SHARE, MEDIUM_SHARE, SEVERITIES, Finding, Saving, Severity
from tbprof.rules.base.computing import gaps_ns
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import launching
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.base.typical_steps import typical_ns
from tbprof.rules.launch.small_kernels import CodeKernels, kernels_by_code

SHORT_KERNEL_NS = 10_000
"""A kernel shorter than this is over before the host has launched another op (as in TraceLens)."""

MANY_KERNELS = 1000
"""As many kernels in a step keep the host busy for 10 ms of it, whatever their length."""

_MAX_PLACES = 3


def find_bound_code(facts: Facts, rule: str, *, compiled: bool) -> Iterator[Finding]:
    """Of the places whose kernels come from compiled code for the most part, or of all others."""
    main = facts.work.main_device
    if main is None or 2 * facts.empty_idle_ns < int(facts.idle.by_device[main].device_ns.sum()):
        return
    bound = facts.once(_bound_codes)
    for code in islice((code for code in bound if code.is_compiled == compiled), _MAX_PLACES):
        yield _finding(facts, rule, code)


def _bound_codes(facts: Facts) -> tuple[CodeKernels, ...]:
    """Most idle first; so much idle that no code holds for itself is that of the worst of them.

    A single kernel a step waits for its launch, too, but not because there are too many.
    """
    pieces = facts.once(find_launch_idle).short()
    codes = [code for code in kernels_by_code(facts, pieces) if code.kernels > len(facts.steps)]
    bound = tuple(code for code in codes if _is_bound(facts, code))
    if bound or typical_ns(facts, pieces.idle) < CRITICAL_SHARE * facts.steps.total_ns:
        return bound
    return tuple(codes[:_MAX_PLACES])


def _is_bound(facts: Facts, code: CodeKernels) -> bool:
    """However long its kernels are, they are too short for a host that leaves so much idle between them."""
    small = code.median_kernel_ns < SHORT_KERNEL_NS or code.kernels > MANY_KERNELS * len(facts.steps)
    least = MEDIUM_SHARE if small else CRITICAL_SHARE
    return typical_ns(facts, code.idle) >= least * facts.steps.total_ns


def _finding(facts: Facts, rule: str, code: CodeKernels) -> Finding:
    idle_ns = typical_ns(facts, code.idle)
    seen = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=idle_ns)
    host_ns = earlier_host_ns(facts, launching(facts, code.work, LONG_PAUSE_NS))
    won_ns = max(total_ns(code.idle), host_ns + gaps_ns(facts, code.work))
    steps = len(facts.steps)
    return window_finding(
        rule,
        place=code.place,
        severity=_severity(facts, seen),
        count=code.kernels,
        removal="rewrite",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=won_ns),
        confidence="low" if records_frames(facts) else "medium",
        evidence=idle_evidence(facts, code.idle),
        numbers={
            "place": code.place,
            "kernels_per_step": round(code.kernels / steps, 1),
            "median_kernel_ns": code.median_kernel_ns,
            "ops_per_step": round(code.ops / steps, 1),
            "idle_per_step_ns": idle_ns // steps,
            "graph_blockers": _graph_blockers(facts),
        },
    )


def _graph_blockers(facts: Facts) -> int:
    """Sites with a sync point in a step: none of them can be part of a CUDA graph."""
    return sum(bool(facts.can_be_won[site.members].any()) for site in facts.sites)


def _severity(facts: Facts, saving: Saving) -> Severity:
    severity = severity_of_cause(facts, saving)
    if largest_cause(facts) != "launch":
        return max(severity, "low", key=SEVERITIES.index)
    idle = facts.once(find_launch_idle)
    if total_ns(idle.long().idle) > total_ns(idle.short().idle):
        return max(severity, "medium", key=SEVERITIES.index)
    return severity
