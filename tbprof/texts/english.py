"""Every sentence that a screen or the terminal asks for, behind one door."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.errors import UsageError
from tbprof.model import (
    CopyTotal,
    Finding,
    HealthFact,
    IdlePlace,
    Numbers,
    RecordedCall,
    Site,
    Source,
    Verdict,
)
from tbprof.texts.figures.quantities import share
from tbprof.texts.figures.scopes import scope_of
from tbprof.texts.figures.site_names import site_name
from tbprof.texts.findings.check import found_sentence, warned_sentence
from tbprof.texts.findings.finding_notes import finding_note
from tbprof.texts.findings.left_out import not_checked_sentence, skipped_sentence
from tbprof.texts.findings.next_limit import limit_sentence
from tbprof.texts.findings.predicted import kind_name, predicted_sentences
from tbprof.texts.findings.rule_pages import RuleText, rule_text
from tbprof.texts.screens.comparing import ComparingEnglish
from tbprof.texts.screens.copies import waiting_remark
from tbprof.texts.screens.idle import cause_name, drain_sentence, host_place_name, place_name, site_location
from tbprof.texts.screens.series import change_sentences, missing_sentence, ranks_sentences, read_sentence
from tbprof.texts.screens.source import (
    called_note,
    candidate_note,
    code_origin,
    doubt_note,
    predicted_note,
    recorded_note,
    wait_note,
)
from tbprof.texts.screens.timeline import episode_sentence, gap_sentence
from tbprof.texts.screens.verdicts import verdict_sentences
from tbprof.texts.trust.health import health_sentence
from tbprof.texts.trust.trust import trust_words

__all__ = ["English"]


class English(ComparingEnglish):
    """Codes and numbers to English."""

    def health(self, fact: HealthFact) -> str:
        return health_sentence(fact)

    def verdict(self, verdict: Verdict) -> tuple[str, str]:
        return verdict_sentences(verdict)

    def found(self, title: str, fix: str, often: int, *, predicted: bool, has_steps: bool) -> str:
        return found_sentence(title, fix, often, predicted=predicted, has_steps=has_steps)

    def warned(self, title: str, place: str, reason: str) -> str:
        return warned_sentence(title, place, reason)

    def predicted(self, lines: int) -> tuple[str, str]:
        return predicted_sentences(lines)

    def predicted_kind(self, kind: str) -> str:
        return kind_name(kind)

    def site(self, site: Site) -> str:
        return site_name(site)

    def severity(self, shares: tuple[float, float] | None, *, marks_steps: bool) -> str:
        if shares is None:
            return "no saving is estimated"
        floor_share, ceiling_share = shares
        if ceiling_share == 0:
            return "nothing can be saved"
        least, most = share(floor_share), share(ceiling_share)
        of = f"of {scope_of(marks_steps=marks_steps).name}"
        if floor_share == 0:
            return f"at most {most} {of}"
        return f"{most} {of}" if least == most else f"at least {least}, at most {most} {of}"

    def finding(self, finding: Finding, *, marks_steps: bool) -> str:
        return finding_note(finding, scope_of(marks_steps=marks_steps))

    def not_checked(self, needs: str) -> str:
        return not_checked_sentence(needs)

    def rule_failed(self, error: str) -> str:
        return f"could not run: {error}"

    def rule(self, code: str) -> RuleText:
        """The page of a rule; one of another version gets a page that says so."""
        try:
            return rule_text(code)
        except UsageError:
            return _unknown(code)

    def skipped(self, reason: str) -> str:
        return skipped_sentence(reason)

    def cause(self, cause: str) -> str:
        return cause_name(cause)

    def idle_place(self, place: IdlePlace, opened: Site | None) -> str:
        return place_name(place, opened)

    def host_place(self, place: str) -> str:
        return host_place_name(place)

    def episode(self, wait_us: float, explained_us: float, starve_us: float, *, is_blocking: bool) -> str:
        return episode_sentence(wait_us, explained_us, starve_us, is_blocking=is_blocking)

    def gap(self, cause: str, idle_us: float, place: str) -> str:
        return gap_sentence(cause, idle_us, place)

    def drained_by(self, drain: Site) -> str:
        return drain_sentence(drain)

    def copy_remark(self, total: CopyTotal) -> str:
        return waiting_remark(total)

    def location(self, site: Site) -> str:
        return site_location(site)

    def windows_read(self, read: int, total: int) -> str:
        return read_sentence(read, total)

    def ranks(self, ranks: Sequence[tuple[str, float | None, float]], *, are_ranked: bool) -> tuple[str, str]:
        return ranks_sentences(ranks, are_ranked=are_ranked)

    def missing_ranks(self, ranks: Sequence[int]) -> str:
        return missing_sentence(ranks)

    def step_change(self, windows: int, before_us: float, after_us: float, since: str) -> tuple[str, str]:
        return change_sentences(windows, before_us, after_us, since)

    def trust(self, code: str, numbers: Numbers) -> tuple[str, str, str]:
        return trust_words(code, numbers)

    def next_limit(self, cause: str, limiting_us: float, step_us: float) -> str:
        return limit_sentence(cause, limiting_us, step_us)

    def code_origin(self, first_step: int | None, *, is_embedded: bool) -> str:
        return code_origin(first_step, is_embedded=is_embedded)

    def no_line(self) -> str:
        return "line not recorded"

    def whole_window(self) -> str:
        return "the window"

    def line_waits(self, wait_us: float) -> str:
        return wait_note(wait_us)

    def one_of(self, candidates: Sequence[int]) -> str:
        return candidate_note(candidates)

    def doubt(self, source: Source) -> str:
        return doubt_note(source)

    def in_called(self, site: Site, *, is_exact: bool) -> str:
        return called_note(site, is_exact=is_exact)

    def would_wait(self, kind: str) -> str:
        return predicted_note(kind)

    def recorded_call(self, call: RecordedCall) -> str:
        return recorded_note(call)


def _unknown(code: str) -> RuleText:
    return RuleText(
        code=code,
        name="unknown",
        title=f"Rule {code} of another version of tbprof",
        what="The report was written by another version, which has a rule that this one lacks.",
        why="",
        before="",
        after="",
        fix="Open the report with the version that wrote it.",
        caveat="",
        silent="",
    )
