"""Every rule over one window: what it found, and what became of it where it found nothing."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.analysis.facts import Facts
from tbprof.model import SEVERITIES, Check, FailedRule, Finding, FindingIndex
from tbprof.records import dataclass
from tbprof.rules.base.rule import CALLS, Rule
from tbprof.rules.distinct_fingerprints import with_distinct_fingerprints
from tbprof.rules.precedence import settle


@dataclass(frozen=True, slots=True)
class RuleRun:
    findings: tuple[Finding, ...]
    """Worst first."""
    failed: tuple[FailedRule, ...]
    checks: tuple[Check, ...]
    """One a rule, in their order."""


def run_rules(rules: Sequence[Rule], facts: Facts) -> RuleRun:
    """All rules that can run; one that raises costs itself only."""
    found: list[Finding] = []
    failed: list[FailedRule] = []
    checks: dict[str, Check] = {}
    for rule in rules:
        checks[rule.code] = Check(rule.code, "not_checked")
        try:
            all_needs = rule.needs if rule.is_of_device else (CALLS, *rule.needs)
            needs = tuple(need.name for need in all_needs if not need.is_met(facts))
            if needs:
                checks[rule.code] = Check(rule.code, "not_checked", needs=needs)
                continue
            mine = tuple(rule.find(facts))
            checks[rule.code] = Check(rule.code, "failed") if mine else _passed(rule, facts)
            found.extend(mine)
        except Exception as error:  # noqa: BLE001 - one broken rule must not cost the report
            failed.append(FailedRule(rule.code, f"{type(error).__name__}: {error}"))
    settled = settle(found, [len(site.members) for site in facts.sites])
    named = with_distinct_fingerprints(settled, facts.sites)
    findings = tuple(sorted(named, key=_worst_first))
    return RuleRun(
        findings, tuple(failed), tuple(_with_finding(check, findings) for check in checks.values())
    )


def _passed(rule: Rule, facts: Facts) -> Check:
    numbers = rule.passing.looked_at(facts)
    if numbers is None:
        return Check(rule.code, "not_applicable")
    return Check(rule.code, "passed", numbers=numbers)


def _with_finding(check: Check, findings: Sequence[Finding]) -> Check:
    """Of a failed one; it is not applicable where other rules speak for all that it found."""
    if check.state != "failed":
        return check
    mine = (at for at, finding in enumerate(findings) if finding.rule == check.rule)
    worst = next(mine, None)
    if worst is None:
        return Check(check.rule, "not_applicable")
    return Check(check.rule, "failed", finding=FindingIndex(worst))


def _worst_first(finding: Finding) -> tuple[int, int, str, tuple[int, ...]]:
    ceiling = finding.saving.ceiling_ns if finding.saving is not None else 0
    return SEVERITIES.index(finding.severity), -ceiling, finding.rule, finding.sites
