"""What a report has that a build can be failed for."""

from __future__ import annotations

from tbprof.judge.steady_steps import marks_steps
from tbprof.model import Finding, PredictedLine, Report, Site, Source, code_line, code_statement, suppression
from tbprof.rules.registry import RULES
from tbprof.texts.check_outcomes import warned_sentence
from tbprof.texts.finding_notes import option_note
from tbprof.texts.predicted import option_of_line
from tbprof.texts.rule_pages import rule_words
from tbprof.views.check import SHARES, Found, Overlap, Recording, Warned
from tbprof.views.communication import communication_view
from tbprof.views.findings import finding_row

_WORTH_A_WARNING = ("critical", "high", "medium")

_KINDS = {rule.code: rule.kind for rule in RULES if rule.kind is not None}

_TIMED = frozenset(rule.code for rule in RULES if rule.is_timed)


def report_recording(report: Report) -> Recording:
    """The findings that are about lines, what is predicted of lines, and the rest as warnings."""
    found = [
        *(_found(report, finding) for finding in report.findings if _is_counted(finding)),
        *(_predicted(report, line) for line in report.predicted_lines),
    ]
    return Recording(
        name=report.trace.path,
        predicted=bool(report.predicted_lines),
        steps=len(_warm(report)) if report.trace.devices else 1,
        sync_points=_most_sync_points(report, found),
        found=tuple(finding for finding in found if finding.per_step > 0),
        shares=_shares(report),
        overlap=_overlap(report),
        unchecked=_unchecked(report),
        warned=tuple(
            _warned(report, finding)
            for finding in report.findings
            if not _is_counted(finding) and finding.severity in _WORTH_A_WARNING
        ),
    )


def _shares(report: Report) -> dict[str, float]:
    """Shares of the steps of all devices, in percent; what was not recorded, or is unknown, has none."""
    if report.idle is None:
        return {}
    spoken = report.communication
    exposed_ns = None if spoken is None else spoken.exposed_ns
    parts = {"communication": exposed_ns, "idle": report.idle.total.device_ns}
    known = {name: part_ns for name in SHARES if (part_ns := parts[name]) is not None}
    return {name: 100 * part_ns / report.devices_ns for name, part_ns in known.items() if report.devices_ns}


def _overlap(report: Report) -> Overlap:
    """What can't be judged is not 0 %: nothing was said to another rank, or not where a device is known."""
    view = communication_view(report)
    parts = (0.0, 0.0) if view is None else (view.overlapped_us or 0.0, view.exposed_us or 0.0)
    if any(parts):
        return Overlap(*parts, marks_steps(report))
    if report.idle is None:
        return Overlap()
    return Overlap(unknown="no collective was recorded" if view is None else "no collective ran in its steps")


def _unchecked(report: Report) -> frozenset[str]:
    """What was found without a GPU was looked for in another way."""
    predicted = {line.rule for line in report.predicted_lines}
    unable = {one.rule for one in report.not_checked} | {one.rule for one in report.failed_rules}
    rules = unable - predicted
    looked = {check.rule for check in report.checks} - rules
    return frozenset(rules | ({rule[:3] for rule in rules} - {rule[:3] for rule in looked | predicted}))


def _is_counted(finding: Finding) -> bool:
    return bool(finding.sites) and finding.rule not in _TIMED


def _found(report: Report, finding: Finding) -> Found:
    sites = [report.sites[index] for index in finding.sites]
    words = rule_words(finding.rule)
    source = sites[0].source
    code = code_line(source, report.sources)
    counts = _warm_counts(report, sites)
    return Found(
        fingerprint=finding.fingerprint,
        rule=finding.rule,
        kind=_KINDS.get(finding.rule, ""),
        title=words.title,
        fix=rule_words(finding.remedy.fixed_as or finding.rule).fix,
        file="" if source is None else source.file,
        line=None if source is None else source.line,
        function="" if source is None else source.function,
        code=code,
        statement=code_statement(source, report.sources),
        ops=sites[0].ops,
        per_step=max(counts, default=-(-finding.count // max(len(report.steps), 1))),
        is_in_every_step=True,
        suppressed=suppression(code, finding.rule),
        predicted=False,
        option=option_note(finding),
        ran_in=sum(1 for count in counts if count) if counts else 1,
        of_steps=len(counts) or 1,
    )


def _predicted(report: Report, line: PredictedLine) -> Found:
    words = rule_words(line.rule)
    code = code_line(line.source, report.sources)
    option = option_of_line(line, report.recorded_calls)
    return Found(
        fingerprint=line.fingerprint,
        rule=line.rule,
        kind=line.kind,
        title=words.title,
        fix=words.fix,
        file=line.source.file,
        line=line.source.line,
        function=line.source.function,
        code=code,
        statement=code_statement(line.source, report.sources),
        ops=(),
        per_step=line.count,
        is_in_every_step=True,
        suppressed=suppression(code, line.rule),
        predicted=True,
        option="" if option is None else option.fix,
    )


def _warm(report: Report) -> list[int]:
    """The steps that are judged: the warm ones, or all where none is."""
    steps = range(len(report.steps))
    return [at for at in steps if not report.steps[at].cold] or list(steps)


def _warm_counts(report: Report, sites: list[Site]) -> list[int]:
    """The count of each warm step; nothing where the rows of cheap sites had to go from a large report."""
    if any(not site.per_step for site in sites):
        return []
    return [sum(site.per_step[at] for site in sites) for at in _warm(report)]


def _most_sync_points(report: Report, found: list[Found]) -> int:
    if report.predicted_lines:
        return sum(finding.per_step for finding in found if finding.suppressed is None)
    suppressed = {finding.fingerprint for finding in found if finding.suppressed is not None}
    excused = _excused_sites(report, suppressed)
    counts = (
        report.steps[at].sync_points - sum(site.per_step[at] for site in excused) for at in _warm(report)
    )
    return max(counts, default=0)


def _excused_sites(report: Report, suppressed: set[str]) -> list[Site]:
    """The sync points that a comment beside their line asks to be silent about."""
    indexes = {
        index for finding in report.findings if finding.fingerprint in suppressed for index in finding.sites
    }
    sites = (report.sites[index] for index in sorted(indexes))
    return [site for site in sites if site.blocking and site.per_step]


def _warned(report: Report, finding: Finding) -> Warned:
    row = finding_row(finding, report)
    source: Source | None = report.sites[finding.sites[0]].source if finding.sites else None
    return Warned(
        rule=finding.rule,
        severity=finding.severity,
        text=warned_sentence(row.title, row.place, row.severity_reason),
        file="" if source is None else source.file,
        line=None if source is None else source.line,
    )
