"""What tbprof predicts for a program, beside what is true: run again without the waits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from first_sentences import problems_of
from prediction import ALL_SITES, PLANNED_SITES, Prediction
from program import Program
from recording import record, site_function
from simulated_host import run

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import PlannedFix, fix_plan, saving_of
from tbprof.model import Report, Saving
from tbprof.report import report_of
from tbprof.trace.columns.arrays import Int64s


@dataclass(frozen=True, slots=True)
class Judgment:
    """One program."""

    program: Program
    predictions: tuple[Prediction, ...]
    """One a site, one for all of them, and one for the report's plan where there is one."""
    plan: tuple[PlannedFix, ...]
    replay_error: float
    nothing_removed_ns: int
    """What the replay says is won by removing nothing."""
    contradictions: tuple[str, ...]
    """In what the report says first."""


def judge(program: Program) -> Judgment:
    """Run the program with everything, without each site, and without all; compare."""
    whole = run(program)
    trace = record(program, whole).trace()
    facts, report = Facts(trace), report_of(trace)
    members = {site: _members(facts, site) for site in program.sites}
    removed = {site: (frozenset({site}), members[site]) for site in program.sites}
    if removed:
        removed[ALL_SITES] = (frozenset(program.sites), np.concatenate(list(members.values())))
    predictions = [
        Prediction(
            site=site,
            predicted=saving_of(facts, chosen, "defer"),
            true_ns=whole.window_ns - run(program, without).window_ns,
            window_ns=whole.window_ns,
        )
        for site, (without, chosen) in removed.items()
    ]
    return Judgment(
        program=program,
        predictions=(*predictions, *_of_report(program, report, whole.window_ns)),
        plan=fix_plan(facts, list(members.values())),
        replay_error=facts.replay.error,
        nothing_removed_ns=facts.replay.saving_ns(np.empty(0, np.int64)),
        contradictions=tuple(problems_of(report)),
    )


def _of_report(program: Program, report: Report, window_ns: int) -> list[Prediction]:
    """What the report says of its fix plan as a whole."""
    figures = report.savings
    if figures is None or figures.estimate_ns is None:
        return []
    findings = [report.findings[row.finding] for row in report.fix_plan]
    sources = [report.sites[site].source for finding in findings for site in finding.sites]
    functions = {source.function for source in sources if source is not None}
    planned = frozenset(site for site in program.sites if site_function(site) in functions)
    saving = Saving(figures.floor_ns, figures.estimate_ns, figures.ceiling_ns)
    return [Prediction(PLANNED_SITES, saving, window_ns - run(program, planned).window_ns, window_ns)]


def _members(facts: Facts, site: int) -> Int64s:
    """Positions of the episodes that come from one site of the program."""
    found = [
        each.members
        for each in facts.sites
        if each.source is not None and each.source.function == site_function(site)
    ]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)
