"""What the rules about several ranks find in a job: their pages are those of DST02 and DST08."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tbprof.job.ranks.matching import Unmatched
from tbprof.model import MEDIUM_SHARE, Severity, severity_of_share
from tbprof.texts.findings.rule_pages import rule_words
from tbprof.texts.job.notes import unmatched_sentence
from tbprof.views.job.job_page import JobFinding, JobFix, LateCause

LATE_RANK = "DST02"
SEQUENCES = "DST08"


def job_findings(
    late: Sequence[LateCause],
    plan: Sequence[JobFix],
    unmatched: Sequence[Unmatched],
    step_us: float | None,
) -> tuple[JobFinding, ...]:
    """Those that may hang the job first, then the latest ranks."""
    return (*_different_sequences(unmatched), *_late_ranks(late, plan, step_us))


def _different_sequences(unmatched: Sequence[Unmatched]) -> Iterator[JobFinding]:
    for one in unmatched:
        if one.reason == "different_kinds":
            sentence = unmatched_sentence(one.group, one.reason, one.count)
            yield JobFinding(SEQUENCES, rule_words(SEQUENCES).title, "critical", sentence, None)


def _late_ranks(
    late: Sequence[LateCause], plan: Sequence[JobFix], step_us: float | None
) -> Iterator[JobFinding]:
    saved = {fix.cause: fix.estimate_us for fix in plan}
    for index, cause in enumerate(late):
        if step_us and cause.late_us >= MEDIUM_SHARE * step_us:
            severity = _severity(saved.get(index), cause.late_us, step_us)
            yield JobFinding(LATE_RANK, rule_words(LATE_RANK).title, severity, cause.sentence, index)


def _severity(saved_us: float | None, late_us: float, step_us: float) -> Severity:
    """By what a step of the job gains; without a replay its lateness is a ceiling, and at most medium."""
    if saved_us is not None:
        return severity_of_share(saved_us / step_us)
    found = severity_of_share(late_us / step_us)
    return "medium" if found in ("critical", "high") else found
