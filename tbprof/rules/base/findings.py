"""The parts of a finding that all rules make alike.

Whether there is a later step to read in: what is read late is read in a step after it.

A window shows that there is one, or its program trains: then steps follow the last one as well. So it
is with a loop in a step, that launches more between its reads. The one read of an inference's only step,
or its last, is the result that was asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.analysis.names import matching_rows
from tbprof.framework_options import option_at
from tbprof.model import (
    Evidence,
    Figures,
    Finding,
    Remedy,
    Removal,
    Saving,
    Severity,
    SiteIndex,
    code_line,
    fingerprint,
)
from tbprof.rules.base.evidence import MAX_EVIDENCE, row_evidence, wait_evidence
from tbprof.rules.base.immediate_use import is_used_immediately
from tbprof.rules.base.severity import severity_of_transfer, severity_of_waits
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

Confidence: TypeAlias = Literal["high", "medium", "low"]


def site_finding(
    facts: Facts, site_index: SiteIndex, *, rule: str, removal: Removal, figures: Figures
) -> Finding:
    """The finding that one site is, with its bracket, its steps and its longest waits.

    Where the site is in a framework that has an option for it, the remedy has its `hint`.
    """
    site = facts.sites[site_index]
    found = waits_finding(facts, (site_index,), site.members, rule=rule, removal=removal, figures=figures)
    return with_remedy(found, hint=_hint(site))


def with_remedy(
    finding: Finding, *, hint: str = "", fixed_as: str = "", graphed_in: str = "", origin: str = ""
) -> Finding:
    """The same finding with what else is known of its fix."""
    known = finding.remedy
    remedy = dataclasses.replace(
        known,
        hint=hint or known.hint,
        fixed_as=fixed_as or known.fixed_as,
        graphed_in=graphed_in or known.graphed_in,
        origin=origin or known.origin,
    )
    return finding if remedy == finding.remedy else dataclasses.replace(finding, remedy=remedy)


def waits_finding(
    facts: Facts,
    sites: tuple[SiteIndex, ...],
    members: npt.NDArray[np.int64],
    *,
    rule: str,
    removal: Removal,
    figures: Figures,
) -> Finding:
    """A finding about these episodes, which are all or a part of those of these sites.

    What could only be read later is needed where there is no later step. Where the code is known and
    decides by what is read, the remedy has `used_at_once`: then reading later does not win the estimate.
    """
    if removal == "defer" and not has_later_step(facts, members):
        removal = "needed"
    steps = distinct(facts.episodes.step[members])
    saving = saving_of(facts, members, removal)
    known = all(facts.sites[site].source is not None for site in sites)
    return Finding(
        rule=rule,
        severity="info" if removal == "needed" else severity_of_waits(facts, members, saving),
        sites=sites,
        steps=tuple(steps[steps != NONE].tolist()),
        count=len(members),
        removal=removal,
        saving=saving if facts.device_is_known else None,
        confidence="high" if known else "medium",
        evidence=wait_evidence(facts, members)[:MAX_EVIDENCE],
        figures=figures,
        fingerprint=_fingerprint(facts, rule, [facts.sites[site] for site in sites]),
        remedy=Remedy(used_at_once=_is_used_at_once(facts, sites)),
    )


def _is_used_at_once(facts: Facts, sites: Sequence[SiteIndex]) -> bool:
    hook = facts.trace.facts
    audit = None if hook is None else hook.audit
    reads = [facts.sites[index] for index in sites if facts.sites[index].direction == "DtoH"]
    if audit is None or not reads:
        return False
    return all(is_used_immediately(site.source, audit.sources) for site in reads)


def transfer_finding(
    facts: Facts, site_index: SiteIndex, *, rule: str, ceiling_ns: int, figures: Figures
) -> Finding:
    """A finding about how long the copies of a site keep the device, and no wait; at most that is won."""
    site = facts.sites[site_index]
    record = facts.episodes.record[site.members]
    steps = distinct(facts.episodes.step[site.members])
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ceiling_ns)
    return Finding(
        rule=rule,
        severity=severity_of_transfer(facts, saving),
        sites=(site_index,),
        steps=tuple(steps[steps != NONE].tolist()),
        count=len(site.members),
        removal="rewrite",
        saving=saving,
        confidence="medium",
        evidence=row_evidence(facts, "copy", facts.work.rows[record[record != NONE]])[:MAX_EVIDENCE],
        figures=figures,
        fingerprint=_fingerprint(facts, rule, [site]),
        remedy=Remedy(hint=_hint(site)),
    )


def _hint(site: SiteMembers) -> str:
    """The code of the option of its framework that takes a site away; "" where none is known."""
    is_upload = site.direction == "HtoD"
    if site.source is None or not (site.blocking or is_upload):
        return ""
    option = option_at(site.source.file, site.source.function, site.ops, is_upload=is_upload)
    return "" if option is None else option.code


def _fingerprint(facts: Facts, rule: str, sites: Sequence[SiteMembers]) -> str:
    """A fingerprint of one site by its frame, ops and line, of several by those of all, in whatever order
    they come.
    """
    hook = facts.trace.facts
    texts = () if hook is None or hook.audit is None else hook.audit.sources
    lines = [code_line(site.source, texts) for site in sites]
    frames = [("", "") if s.source is None else (s.source.file, s.source.function) for s in sites]
    if len(sites) == 1:
        return fingerprint(rule, *frames[0], sites[0].ops, lines[0])
    places = (
        " ".join((*frame, *site.ops, line)) for frame, site, line in zip(frames, sites, lines, strict=True)
    )
    return fingerprint(rule, "", "", tuple(sorted(places)))


def window_finding(
    rule: str,
    *,
    place: str,
    severity: Severity,
    count: int,
    removal: Removal,
    saving: Saving | None,
    confidence: Confidence,
    evidence: tuple[Evidence, ...],
    figures: Figures,
    sites: tuple[SiteIndex, ...] = (),
) -> Finding:
    """A finding about the window or its steps; its fingerprint is that of the rule and the place.

    Args:
        rule: Code of the rule.
        place: The code that it is about; "" where it is about the whole window.
        severity: How bad it is.
        count: How many things of its kind there are.
        removal: What can be done with it.
        saving: What that wins; None where it is not a matter of time, or another finding has it.
        confidence: How sure it is.
        evidence: Where to look; their steps are those of the finding.
        figures: The record of the rule.
        sites: The sites that take part.
    """
    steps = sorted({item.step for item in evidence if item.step is not None})
    return Finding(
        rule=rule,
        severity=severity,
        sites=sites,
        steps=tuple(steps),
        count=count,
        removal=removal,
        saving=saving,
        confidence=confidence,
        evidence=evidence[:MAX_EVIDENCE],
        figures=figures,
        fingerprint=fingerprint(rule, "", place, ()),
    )


_TRAINS = r"autograd::engine::evaluate_function|Optimizer\.step#"


def has_later_step(facts: Facts, members: Int64s) -> bool:
    """Whether a step, or another turn of a loop, follows any of these episodes."""
    work = facts.work
    computes = work.is_kernel
    launched = np.sort(work.launch_start_ns[computes], kind="stable")
    if len(distinct(np.searchsorted(launched, facts.episodes.start_ns[members]))) > 1:
        return True
    step = facts.episodes.step[members]
    is_before_another = (step != NONE) & (step < len(facts.steps) - 1)
    if facts.steps.recorded and bool(is_before_another.any()):
        return True
    return len(matching_rows(facts.trace, _TRAINS, Category.CPU_OP, Category.USER_ANNOTATION)) > 0
