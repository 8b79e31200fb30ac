"""Recordings, a baseline and what was forbidden, to the answer of `tbprof check`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tbprof.texts.findings.check import budget_sentence, unchecked_sentence
from tbprof.views.check.check import (
    NEW,
    SHARES,
    STATES,
    Accepted,
    Baseline,
    Budget,
    BudgetRow,
    CheckRow,
    CheckView,
    Found,
    Recording,
    RowState,
)
from tbprof.views.check.matching import matched


def check_view(
    recordings: Sequence[Recording],
    baseline: Baseline,
    *,
    forbidden: Sequence[str],
    budgets: Sequence[Budget],
) -> CheckView:
    """Judge what was found.

    Args:
        recordings: What was looked at.
        baseline: What was accepted.
        forbidden: Words that fail the build: `new`, rules, families of rules, kinds. What is
            accepted or suppressed is never forbidden.
        budgets: What there may be of something in a step.
    """
    found = _once(finding for recording in recordings for finding in recording.found)
    known = matched(found, baseline.accepted)
    rows = [_row(finding, known.get(finding.fingerprint), baseline, forbidden) for finding in found]
    steps = max((recording.steps for recording in recordings), default=0)
    over = tuple(_budget_row(budget, recordings, has_steps=steps > 0) for budget in budgets)
    kept = {line.fingerprint for line in known.values()}
    words = tuple(word for word in forbidden if _is_unchecked(word, recordings))
    unjudged = (*(one.gap for one in recordings if one.gap), *map(unchecked_sentence, words))
    return CheckView(
        passed=not any(row.fails for row in rows) and all(map(_is_kept, over)) and not unjudged,
        recordings=tuple(recording.name for recording in recordings),
        predicted=any(recording.predicted for recording in recordings),
        steps=steps,
        rows=tuple(sorted(rows, key=_by_state_and_place)),
        budgets=over,
        warned=tuple(dict.fromkeys(line for recording in recordings for line in recording.warned)),
        gone=tuple(line for line in baseline.accepted if line.fingerprint not in kept),
        is_former_baseline=baseline.is_former,
        is_of_first_steps=any(recording.is_of_first_steps for recording in recordings),
        doubts=tuple(f"{one.name}: {one.doubt}" for one in recordings if one.doubt),
        unjudged_recordings=tuple(one.name for one in recordings if one.gap),
        unjudged_words=words,
        unjudged=unjudged,
    )


def is_meant(word: str, finding: Found) -> bool:
    """Whether a word of `--forbid` or `--budget` is about the finding: its rule, family or kind."""
    return word in (finding.rule, finding.rule[:3], finding.kind)


def _is_unchecked(word: str, recordings: Sequence[Recording]) -> bool:
    """Whether no recording could be checked for it; of what could not be read that is said already."""
    read = [recording for recording in recordings if not recording.gap]
    return bool(read) and all(word in recording.unchecked for recording in read)


def _once(found: Iterable[Found]) -> list[Found]:
    """Of a finding that several ranks or windows have, the one with most in a step."""
    most: dict[str, Found] = {}
    for finding in found:
        other = most.get(finding.fingerprint)
        if other is None or finding.per_step > other.per_step:
            most[finding.fingerprint] = finding
    return list(most.values())


def _row(found: Found, accepted: Accepted | None, baseline: Baseline, forbidden: Sequence[str]) -> CheckRow:
    state = _state(found, accepted, baseline)
    is_open = state in ("new", "more")
    return CheckRow(
        found=found,
        state=state,
        reason=found.suppressed or ("" if accepted is None else accepted.reason),
        accepted_per_step=None if accepted is None else accepted.per_step,
        fails=is_open and any(word == NEW or is_meant(word, found) for word in forbidden),
    )


def _state(found: Found, accepted: Accepted | None, baseline: Baseline) -> RowState:
    if found.suppressed is not None:
        return "suppressed"
    if accepted is None:
        # Preflight sees what runs in the first of a hundred steps; a recording of later ones need not.
        return "new" if baseline.is_of_first_steps or found.is_in_every_step else "unseen"
    return "more" if found.per_step > accepted.per_step else "accepted"


def _budget_row(budget: Budget, recordings: Sequence[Recording], *, has_steps: bool) -> BudgetRow:
    """The worst of the recordings: each is a training of its own."""
    spent = [(_spent(budget.of, recording), recording.name) for recording in recordings]
    known = [(found, name) for found, name in spent if found is not None]
    found, worst = max(known, key=lambda one: one[0], default=(None, ""))
    worst = worst if len(recordings) > 1 else ""
    unrecorded = tuple(name for found, name in spent if found is None)
    is_share = budget.of in SHARES
    said = budget_sentence(
        found,
        budget.of,
        budget.allowed,
        has_steps=has_steps,
        is_share=is_share,
        worst=worst,
        unrecorded=unrecorded,
    )
    return BudgetRow(
        of=budget.of,
        allowed=budget.allowed,
        found=found,
        is_exceeded=found is not None and found > budget.allowed,
        worst=worst,
        unrecorded=unrecorded,
        text=said,
    )


def _is_kept(row: BudgetRow) -> bool:
    return row.found is not None and not row.is_exceeded


def _spent(word: str, recording: Recording) -> float | None:
    """None where the recording does not have the figure."""
    if not word:
        return recording.sync_points
    if word in SHARES:
        return recording.shares.get(word)
    if word in recording.unchecked:
        return None
    meant = (finding for finding in recording.found if is_meant(word, finding))
    return sum(finding.per_step for finding in meant if finding.suppressed is None)


def _by_state_and_place(row: CheckRow) -> tuple[int, str, int, str, str]:
    found = row.found
    return STATES.index(row.state), found.file, found.line or 0, found.rule, found.fingerprint
