"""What speaks for and against the figures of a window, always in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tbprof.model import MAX_REPLAY_ERROR, HealthFact, Report
from tbprof.rules.trace_health.words import Gaps
from tbprof.texts.health import gaps_sentence, health_sentence
from tbprof.texts.rule_pages import rule_words
from tbprof.texts.trust import (
    COLD_NONE,
    FEWEST_FOR_COLD,
    INFLATION_NONE,
    OTHERS_NONE,
    OTHERS_UNSEEN,
    OWN_SYNC_NONE,
    REPLAY_NONE,
    REPLAY_WITHOUT_DEVICE,
    UNTYPICAL,
    VARIES,
    Words,
    after_words,
    cold_unknown_words,
    cold_words,
    fact_missing_words,
    inflation_words,
    others_words,
    own_sync_words,
    replay_off_words,
    replay_without_plan_words,
    replay_words,
    start_words,
)
from tbprof.views.overview import TrustRow

_GRADES = ("ok", "info", "warning", "error")

_SAID_ABOVE = frozenset({"cold_steps", "gpu_shared", "fact_missing"})
"""Health facts that have a row of their own."""

_NOTEWORTHY_START_NS = 100_000_000
"""A profiler that starts faster is noticed by nobody."""

_INFLATED = 1.1
"""The factor from which the idle between launches is visibly too long; findings say so from 1.2 on."""

State = Literal["ok", "info", "warning", "error", "unknown"]


def worst_of(rows: Sequence[TrustRow]) -> Literal["ok", "info", "warning", "error"]:
    """What colors the whole list: what is not known is nothing against it."""
    known = (row.state for row in rows if row.state != "unknown")
    return max(known, key=_GRADES.index, default="ok")


def trust_rows(report: Report, *, records_first: bool) -> tuple[TrustRow, ...]:
    """First what the figures rest on, then what the hook could not have, then what health says.

    Args:
        report: Of the window.
        records_first: Whether another recording comes before any change, as `opening.records_first` decides.
    """
    profiler = (_inflation(report), *_start(report), *_after(report))
    known = (_cold(report), _own_sync(report), *_others(report), *_missing(report))
    untypical = (_row("warning", UNTYPICAL),) if records_first else ()
    notes = (_note(fact) for fact in report.trace.health if fact.code not in _SAID_ABOVE)
    return (*untypical, _replay(report), *profiler, *known, *_gaps(report), *notes)


def _row(state: State, words: Words) -> TrustRow:
    return TrustRow(state, *words)


def _gaps(report: Report) -> Iterator[TrustRow]:
    """What a trace lacks; a file that is damaged has said so itself."""
    for finding in report.findings:
        lacks = finding.figures
        if not isinstance(lacks, Gaps):
            continue
        said = gaps_sentence(lacks.without_launch, lacks.before_launch, lacks.unnamed_waits)
        if said:
            yield TrustRow("warning", rule_words(finding.rule).title, "", said)


def _note(fact: HealthFact) -> TrustRow:
    return TrustRow(fact.severity, "", "", health_sentence(fact))


def _replay(report: Report) -> TrustRow:
    if report.savings is None:
        return _row("unknown", REPLAY_WITHOUT_DEVICE)
    error = report.savings.replay_error
    if error is None:
        return _row("unknown", REPLAY_NONE)
    if error > MAX_REPLAY_ERROR:
        return _row("warning", replay_off_words(error))
    if not report.fix_plan:
        return _row("info", replay_without_plan_words(error))
    return _row("ok", replay_words(error))


def _inflation(report: Report) -> TrustRow:
    facts = report.facts
    if facts is None or facts.unprofiled_step_ns is None or facts.profiled_step_ns is None:
        return _row("unknown", INFLATION_NONE)
    factor = facts.profiled_step_ns / max(facts.unprofiled_step_ns, 1)
    words = inflation_words(
        factor,
        profiled_us=facts.profiled_step_ns / 1000,
        unprofiled_us=facts.unprofiled_step_ns / 1000,
        has_device=bool(facts.device_names),
    )
    return _row(_state_of(factor), words)


def _state_of(factor: float) -> State:
    if factor < VARIES:
        return "unknown"
    return "warning" if factor >= _INFLATED else "ok"


def _after(report: Report) -> Iterator[TrustRow]:
    """Only where the hook timed them: a trace of its own tells nothing of what came after it."""
    facts = report.facts
    if facts is None or facts.unprofiled_step_ns is None or facts.after_step_ns is None:
        return
    factor = facts.after_step_ns / max(facts.unprofiled_step_ns, 1)
    words = after_words(
        factor,
        is_slower=factor >= _INFLATED,
        recorder=facts.device_recorder or "",
        after_us=facts.after_step_ns / 1000,
        before_us=facts.unprofiled_step_ns / 1000,
    )
    yield _row(_state_of(factor), words)


def _start(report: Report) -> Iterator[TrustRow]:
    start_ns = None if report.facts is None else report.facts.profiler_start_ns
    if start_ns is not None and start_ns >= _NOTEWORTHY_START_NS:
        yield _row("info", start_words(start_ns / 1000))


def _cold(report: Report) -> TrustRow:
    cold, steps = [step for step in report.steps if step.cold], len(report.steps)
    if steps < FEWEST_FOR_COLD:
        return _row("unknown", cold_unknown_words(steps))
    if not cold:
        return _row("ok", COLD_NONE)
    return _row("ok", cold_words(len(cold), steps, max(step.length_ns for step in cold) / 1000))


def _own_sync(report: Report) -> TrustRow:
    own = report.sync_points.profiler_own_ns
    return _row("ok", own_sync_words(sum(own) / 1000) if own else OWN_SYNC_NONE)


def _others(report: Report) -> Iterator[TrustRow]:
    """Processes of others on the device; only the hook can see them."""
    if report.idle is None:
        return
    others = None if report.facts is None else report.facts.other_gpu_processes
    if others is None:
        yield _row("unknown", OTHERS_UNSEEN)
    else:
        yield _row("warning", others_words(others)) if others else _row("ok", OTHERS_NONE)


def _missing(report: Report) -> Iterator[TrustRow]:
    for one in () if report.facts is None else report.facts.missing:
        yield _row("unknown", fact_missing_words(one.name, one.reason))
