"""Which findings may have a row in the fix plan.

Those that the replay can judge and that matter (not info). A bundle holds the sites of others, which
have rows of their own; but where one of its sites has no finding in the plan, what they win together would be
missing there: then the bundle has the row, and takes the place of the findings that it holds. Of two
findings about the same sites the first has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.analysis.savings.savings import REPLAYED
from tbprof.model import Finding
from tbprof.rules.registry import RULES

_BUNDLES = frozenset(rule.code for rule in RULES if rule.is_bundle)


def candidates(findings: Sequence[Finding]) -> list[int]:
    """Indices of findings, ascending."""
    worth = [at for at, finding in enumerate(findings) if _is_worth_a_row(finding)]
    alone = [at for at in worth if findings[at].rule not in _BUNDLES]
    held = {site for at in alone for site in findings[at].sites}
    bundles = [at for at in worth if at not in alone and not set(findings[at].sites) <= held]
    taken = {site for at in bundles for site in findings[at].sites}
    rows: list[int] = []
    for at in sorted([*bundles, *(at for at in alone if not set(findings[at].sites) <= taken)]):
        if not any(set(findings[at].sites) <= set(findings[row].sites) for row in rows):
            rows.append(at)
    return rows


def _is_worth_a_row(finding: Finding) -> bool:
    is_told = finding.saving is not None and finding.saving.estimate_ns is not None
    return is_told and finding.removal in REPLAYED and bool(finding.sites) and finding.severity != "info"
