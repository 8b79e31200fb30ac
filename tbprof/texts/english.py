"""Every sentence that a screen or the terminal asks for, behind one door."""

from __future__ import annotations

from tbprof.errors import UsageError
from tbprof.model import CopyTotal, HealthFact, IdlePlace, Numbers, Site, Verdict
from tbprof.texts.copies import waiting_remark
from tbprof.texts.health import health_sentence, not_checked_sentence, skipped_sentence
from tbprof.texts.idle import cause_name, drain_sentence, place_name
from tbprof.texts.quantities import share
from tbprof.texts.rule_pages import RuleText, rule_text
from tbprof.texts.trust import trust_words
from tbprof.texts.verdicts import site_name, verdict_sentences

__all__ = ["English"]


class English:
    """Codes and numbers to English."""

    def health(self, fact: HealthFact) -> str:
        return health_sentence(fact)

    def verdict(self, verdict: Verdict) -> tuple[str, str]:
        return verdict_sentences(verdict)

    def site(self, site: Site) -> str:
        return site_name(site)

    def severity(self, floor_share: float, ceiling_share: float) -> str:
        if ceiling_share == 0:
            return "nothing can be won"
        if floor_share == 0:
            return f"at most {share(ceiling_share)} of a step"
        return f"{share(floor_share)} to {share(ceiling_share)} of a step"

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

    def drained_by(self, drain: Site) -> str:
        return drain_sentence(drain)

    def copy_remark(self, total: CopyTotal) -> str:
        return waiting_remark(total)

    def trust(self, code: str, numbers: Numbers) -> tuple[str, str, str]:
        return trust_words(code, numbers)


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
