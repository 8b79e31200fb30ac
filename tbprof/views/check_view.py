"""Recordings, a baseline and what was forbidden, to the answer of `tbprof check`.

Which line of a baseline accepts which finding.

By its name first. A rule may call a line by another code when more is known of it (a recording does
not see what preflight sees), so then by the line's text; where that was not recorded, as in a
baseline of an earlier form, by function and rule, in the order of the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from tbprof.model import code_without_format
from tbprof.texts.check_outcomes import budget_sentence, overlap_sentence, unchecked_sentence
from tbprof.views.check import (
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
    OverlapRow,
    Recording,
    RowState,
)


def check_view(
    recordings: Sequence[Recording],
    baseline: Baseline,
    *,
    forbidden: Sequence[str],
    budgets: Sequence[Budget],
    overlap: int | None = None,
) -> CheckView:
    """Judge what was found.

    Args:
        recordings: What was looked at.
        baseline: What was accepted.
        forbidden: Words that fail the build: `new`, rules, families of rules, kinds. What is
            accepted or suppressed is never forbidden.
        budgets: What there may be of something in a step.
        overlap: The least, in percent, that computing has to cover of each recording's communication.
    """
    found = _once(finding for recording in recordings for finding in recording.found)
    known = matched(found, baseline.accepted)
    rows = [_row(finding, known.get(finding.fingerprint), baseline, forbidden) for finding in found]
    steps = max((recording.steps for recording in recordings), default=0)
    over = tuple(_budget_row(budget, recordings, has_steps=steps > 0) for budget in budgets)
    overlaps = () if overlap is None else tuple(_overlap_rows(overlap, recordings))
    gates: list[BudgetRow | OverlapRow] = [*over, *overlaps]
    kept = {line.fingerprint for line in known.values()}
    words = tuple(word for word in forbidden if _is_unchecked(word, recordings))
    unjudged = (*(one.gap for one in recordings if one.gap), *map(unchecked_sentence, words))
    return CheckView(
        passed=not (any(row.fails for row in rows) or unjudged) and all(map(_is_kept, gates)),
        recordings=tuple(recording.name for recording in recordings),
        predicted=any(recording.predicted for recording in recordings),
        steps=steps,
        rows=tuple(sorted(rows, key=_by_state_and_place)),
        budgets=over,
        overlaps=overlaps,
        warned=tuple(dict.fromkeys(line for recording in recordings for line in recording.warned)),
        gone=tuple(line for line in baseline.accepted if line.fingerprint not in kept),
        is_former_baseline=baseline.is_former,
        is_of_first_steps=any(recording.is_of_first_steps for recording in recordings),
        doubts=tuple(f"{one.name}: {one.doubt}" for one in recordings if one.doubt),
        unjudged_recordings=tuple(one.name for one in recordings if one.gap),
        unjudged_words=words,
        unjudged=unjudged,
        used_device=any(one.used_device for one in recordings) or not recordings,
    )


def is_meant(word: str, finding: Found) -> bool:
    """Whether a word of `--forbid` or `--budget` is about the finding: its rule, family or kind."""
    return word in (finding.rule, finding.rule[:3], finding.kind)


def _is_unchecked(word: str, recordings: Sequence[Recording]) -> bool:
    """Whether no recording could be checked for it; of what could not be read that is said already."""
    read = [recording for recording in recordings if not recording.gap]
    return bool(read) and all(word in recording.unchecked for recording in read)


def _once(found: Iterable[Found]) -> list[Found]:
    """A finding that several ranks or windows have, taken from the one with most in a step."""
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


def _overlap_rows(asked: int, recordings: Sequence[Recording]) -> Iterator[OverlapRow]:
    """Each window by itself: a rank that covers all makes up for none that covers nothing."""
    for recording in recordings:
        of = recording.overlap
        if recording.gap:
            continue  # That it can't be judged is said already.
        found = None if of.unknown else round(100 * of.covered_us / (of.covered_us + of.exposed_us), 6)
        yield OverlapRow(
            recording=recording.name,
            asked=asked,
            found=found,
            covered_us=None if of.unknown else of.covered_us,
            exposed_us=None if of.unknown else of.exposed_us,
            is_missed=found is not None and found < asked,
            text=overlap_sentence(
                recording.name,
                found,
                asked,
                covered_us=of.covered_us,
                exposed_us=of.exposed_us,
                in_steps=of.in_steps,
                unknown=of.unknown,
            ),
        )


def _is_kept(row: BudgetRow | OverlapRow) -> bool:
    return row.found is not None and not row.fails


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


_Key: TypeAlias = tuple[str, ...] | None
"""What a finding and a line of the baseline agree in; None where nothing identifies them."""


def matched(found: Sequence[Found], accepted: Sequence[Accepted]) -> Mapping[str, Accepted]:
    """The line of the baseline by the fingerprint of the finding; each line accepts one finding."""
    matches: dict[str, Accepted] = {}
    open_lines = list(accepted)
    in_order = sorted(found, key=lambda finding: (finding.file, finding.line or 0))
    for of_finding, of_line in _WAYS:
        by_key: dict[_Key, list[Accepted]] = {}
        for line in open_lines:
            by_key.setdefault(of_line(line), []).append(line)
        for finding in (each for each in in_order if each.fingerprint not in matches):
            key = of_finding(finding)
            if key is not None and by_key.get(key):
                matches[finding.fingerprint] = by_key[key].pop(0)
        open_lines = [line for line in open_lines if not _is_among(line, matches.values())]
    return matches


def _is_among(line: Accepted, lines: Iterable[Accepted]) -> bool:
    return any(line is other for other in lines)


def _code_key(each: Found | Accepted) -> _Key:
    code = code_without_format(each.code)
    return (each.rule[:3], each.file, each.function, code) if code else None


def _rule_key(each: Found | Accepted) -> _Key:
    return (each.rule, each.file, each.function)


_WAYS: tuple[tuple[Callable[[Found], _Key], Callable[[Accepted], _Key]], ...] = (
    (lambda finding: (finding.fingerprint,), lambda line: (line.fingerprint,)),
    (_code_key, _code_key),
    (_rule_key, lambda line: None if line.code else _rule_key(line)),
    (lambda finding: None if finding.code else _rule_key(finding), _rule_key),
)
