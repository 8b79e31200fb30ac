"""A trace file to its report: the only place where trace, analysis and rules meet."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tbprof.analysis.device_work import (
    allocating_devices,
    device_name,
    holds_only_allocations,
)
from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.code_breakdown import code_shares
from tbprof.analysis.figures.communication_totals import communication_totals
from tbprof.analysis.figures.computing_totals import computing_health, computing_totals
from tbprof.analysis.figures.gpu_use import gpu_use
from tbprof.analysis.figures.health import health_facts
from tbprof.analysis.figures.host_costs import file_health
from tbprof.analysis.figures.item_loops import costly_loops
from tbprof.analysis.figures.memory_blocks import memory_peaks, window_curves
from tbprof.analysis.figures.operator_limits import find_limits
from tbprof.analysis.figures.operators import find_operators
from tbprof.analysis.figures.savings import PlannedFix, faster_device_ns, fix_plan, window_saving
from tbprof.analysis.figures.site_figures import copy_totals, site_figures
from tbprof.analysis.figures.step_figures import (
    checks_within,
    findings_within,
    idle_total,
    step_figures,
    sync_totals,
)
from tbprof.analysis.figures.timeline import Timeline
from tbprof.judge.actions import all_ceiling_ns, rank
from tbprof.judge.verdict import find_verdict
from tbprof.model import (
    Finding,
    FindingIndex,
    HookFacts,
    NotChecked,
    PlanRow,
    PredictedLine,
    Report,
    Savings,
    TraceSummary,
)
from tbprof.rules.base.rule import Rule
from tbprof.rules.checking import candidates, run_rules
from tbprof.rules.predicted_lines import predicted_lines
from tbprof.rules.registry import RULES
from tbprof.trace.column_cache import read_trace_cached
from tbprof.trace.columns.arrays import Int64s, distinct
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import Tables
from tbprof.trace.reading import read_trace
from tbprof.window_names import parse_window_name

__all__ = [
    "Facts",
    "Tables",
    "Timeline",
    "build_report",
    "open_facts",
    "open_timeline",
    "report_of",
]


_NEEDED_LAST = (costly_loops, faster_device_ns, find_limits, find_operators, window_curves)


def build_report(
    path: str | os.PathLike[str],
    *,
    progress: Callable[[int, int], None] | None = None,
    use_cache: bool = False,
) -> Report:
    """Read a trace file and say all that can be known of it.

    Args:
        path: The file, plain or gzip, whatever its name.
        progress: Called with the bytes read so far and the size of the file on disk.
        use_cache: Whether the columns of a large trace may be kept in the user's cache folder,
            and taken from there.

    Raises:
        TraceError: The file gives nothing; the message says why and what to do.
    """
    read = read_trace_cached if use_cache else read_trace
    return report_of(read(path, tables=FACTS_TABLES, progress=progress))


def open_timeline(
    path: str | os.PathLike[str], *, progress: Callable[[int, int], None] | None = None
) -> Timeline:
    """Read a trace file, or take its columns from the cache, for its timeline.

    Args:
        path: The file, plain or gzip, whatever its name.
        progress: As in `build_report`.

    Raises:
        TraceError: The file gives nothing; the message says why and what to do.
    """
    return Timeline(Facts(read_trace_cached(path, tables=FACTS_TABLES, progress=progress)))


def open_facts(
    path: str | os.PathLike[str],
    *,
    tables: Tables,
    progress: Callable[[int, int], None] | None = None,
    use_cache: bool = False,
) -> Facts:
    """Read a trace file for tables of it.

    Args:
        path: As in `build_report`, as are the next but one and the last.
        tables: Optional tables of the trace that are wanted.
        progress: See there.
        use_cache: See there.

    Raises:
        TraceError: The file gives nothing; the message says why and what to do.
    """
    read = read_trace_cached if use_cache else read_trace
    return Facts(read(path, tables=tables, progress=progress))


def report_of(trace: Trace, rules: tuple[Rule, ...] = RULES) -> Report:
    """The report of a trace that has been read."""
    facts, hook = Facts(trace), trace.facts
    audit = None if hook is None else hook.audit
    ran = run_rules(rules, facts)
    findings = findings_within(ran.findings, facts.steps.total_ns)
    plan, planned, hoisted = _plan(facts, findings)
    saving = window_saving(facts, plan, planned)
    is_known = facts.device_is_known
    replay_error = facts.replay.error if is_known and facts.sites else None
    # Next to what only rules and the plan ask for, the figures below would be the peak of a report's memory.
    facts.forget_all_but(_NEEDED_LAST)
    report = Report(
        trace=_summary(facts),
        steps=step_figures(facts, planned, saving, hoisted),
        sync_points=sync_totals(facts),
        copies=copy_totals(facts.episodes, facts.transfers),
        sites=tuple(site_figures(facts, site) for site in facts.sites),
        idle=idle_total(facts) if is_known else None,
        code=code_shares(facts),
        savings=Savings(
            floor_ns=saving.floor_ns,
            estimate_ns=saving.estimate_ns,
            ceiling_ns=saving.ceiling_ns,
            calibrated=False,
            replay_error=replay_error,
        )
        if is_known
        else None,
        findings=findings,
        fix_plan=tuple(
            PlanRow(FindingIndex(row.candidate), row.adds_ns, row.total_ns, row.ceiling_ns) for row in plan
        ),
        verdict=find_verdict(facts, findings, saving),
        not_checked=tuple(NotChecked(check.rule, need) for check in ran.checks for need in check.needs),
        failed_rules=ran.failed,
        recorded_calls=() if audit is None else audit.calls,
        facts=None if hook is None else dataclasses.replace(hook, audit=None, collections=None),
        sources=() if audit is None else audit.sources,
        predicted_lines=() if hook is None or facts.work.devices else _predicted(hook),
        communication=communication_totals(facts),
        checks=checks_within(ran.checks),
        faster_device_ns=min(facts.once(faster_device_ns), facts.steps.total_ns) if is_known else None,
        memory=memory_peaks(facts),
        computing=computing_totals(facts),
        gpu_use=gpu_use(facts),
    )
    ranked = rank(report)
    if report.savings is not None:
        savings = dataclasses.replace(report.savings, all_ceiling_ns=all_ceiling_ns(report, ranked))
        report = dataclasses.replace(report, savings=savings)
    return dataclasses.replace(report, ranked=ranked)


def _predicted(hook: HookFacts) -> tuple[PredictedLine, ...]:
    """The lines that would wait for a GPU, by what the hook recorded without one."""
    if hook.audit is None:
        return ()
    pin = bool(hook.loaders) and all(loader.pin_memory for loader in hook.loaders)
    return predicted_lines(hook.audit.calls, hook.audit.sources, loaders_pin=pin)


def _plan(facts: Facts, findings: tuple[Finding, ...]) -> tuple[tuple[PlannedFix, ...], Int64s, Int64s]:
    """The findings that a replay can judge, in the order that pays most, their episodes, and those of them
    whose lines leave the step.
    """
    worth = candidates(findings)
    members = [
        distinct(np.concatenate([facts.sites[site].members for site in findings[at].sites])) for at in worth
    ]
    hoisting = {number for number, at in enumerate(worth) if findings[at].removal == "hoist"}
    plan = fix_plan(facts, members, hoisting)
    planned = [members[row.candidate] for row in plan]
    hoisted = [members[row.candidate] for row in plan if row.candidate in hoisting]
    named = tuple(dataclasses.replace(row, candidate=worth[row.candidate]) for row in plan)
    return named, _of_all(planned), _of_all(hoisted)


def _of_all(episodes: list[Int64s]) -> Int64s:
    return distinct(np.concatenate([np.empty(0, np.int64), *episodes]))


def _summary(facts: Facts) -> TraceSummary:
    trace = facts.trace
    hook = trace.facts
    return TraceSummary(
        path=trace.path,
        worker=parse_window_name(Path(trace.path).name).worker if hook is None else hook.worker,
        rank=trace.own_rank,
        world_size=trace.world_size if hook is None or hook.world_size is None else hook.world_size,
        devices=tuple(_devices(facts)),
        era=trace.era,
        span_ns=_span_ns(facts),
        num_events=trace.num_events,
        health=(*file_health(facts), *health_facts(facts), *computing_health(facts)),
    )


def _devices(facts: Facts) -> Iterator[str]:
    """The devices that ran something; where nothing but allocations was recorded, those that these are of."""
    trace = facts.trace
    for number in facts.work.devices:
        yield trace.device_names.get(number) or f"GPU {number}"
    if trace.memory is not None and holds_only_allocations(trace):
        for kind, number in allocating_devices(trace.memory):
            if number >= 0:
                yield trace.device_names.get(number) or device_name(kind, number)


def _span_ns(facts: Facts) -> int:
    end, memory = facts.trace.slices.end_ns, facts.trace.memory
    if len(end) == 0 and memory is not None:
        end = memory.time_ns
    return int(end.max()) - facts.origin_ns if len(end) else 0
