"""What speaks for and against the figures of a window, always in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tbprof.model import MAX_REPLAY_ERROR, HealthFact, Numbers, Report
from tbprof.texts.health import gaps_sentence, health_sentence
from tbprof.texts.rule_pages import rule_words
from tbprof.texts.trust import FEWEST_FOR_COLD, VARIES, trust_words
from tbprof.views.overview import TrustRow

_GAPS = "TRC03"
"""The rule that finds what a trace lacks, and that wins nothing."""

_LACKED = ("without_launch", "before_launch", "unnamed_waits")
"""Its numbers, but for those of a damaged file."""

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
    untypical: list[tuple[str, State, Numbers]] = [("untypical", "warning", {})] if records_first else []
    rows = (*untypical, _replay(report), *profiler, *known)
    fixed = [_row(code, state, numbers) for code, state, numbers in rows]
    notes = [_note(fact) for fact in report.trace.health if fact.code not in _SAID_ABOVE]
    return (*fixed, *_gaps(report), *notes)


def _row(code: str, state: State, numbers: Numbers) -> TrustRow:
    title, figure, detail = trust_words(code, numbers)
    return TrustRow(state, title, figure, detail)


def _gaps(report: Report) -> Iterator[TrustRow]:
    """A file that is damaged has said so itself; a finding of another version may lack its numbers."""
    for finding in report.findings:
        numbers = finding.numbers if finding.rule == _GAPS else {}
        without, before, unnamed = (int(numbers.get(name, 0)) for name in _LACKED)
        if said := gaps_sentence(without, before, unnamed):
            yield TrustRow("warning", rule_words(_GAPS).title, "", said)


def _note(fact: HealthFact) -> TrustRow:
    return TrustRow(fact.severity, "", "", health_sentence(fact))


def _replay(report: Report) -> tuple[str, State, Numbers]:
    if report.savings is None:
        return "replay_without_device", "unknown", {}
    error = report.savings.replay_error
    if error is None:
        return "replay_none", "unknown", {}
    if error > MAX_REPLAY_ERROR:
        return "replay_off", "warning", {"error": error}
    if not report.fix_plan:
        return "replay_without_plan", "info", {"error": error}
    return "replay", "ok", {"error": error}


def _inflation(report: Report) -> tuple[str, State, Numbers]:
    facts = report.facts
    if facts is None or facts.unprofiled_step_ns is None or facts.profiled_step_ns is None:
        return "inflation_none", "unknown", {}
    factor = facts.profiled_step_ns / max(facts.unprofiled_step_ns, 1)
    numbers: Numbers = {
        "factor": factor,
        "devices": len(facts.device_names),
        "profiled_us": facts.profiled_step_ns / 1000,
        "unprofiled_us": facts.unprofiled_step_ns / 1000,
    }
    return "inflation", _state_of(factor), numbers


def _state_of(factor: float) -> State:
    if factor < VARIES:
        return "unknown"
    return "warning" if factor >= _INFLATED else "ok"


def _after(report: Report) -> tuple[tuple[str, State, Numbers], ...]:
    """Only where the hook timed them: a trace of its own tells nothing of what came after it."""
    facts = report.facts
    if facts is None or facts.unprofiled_step_ns is None or facts.after_step_ns is None:
        return ()
    factor = facts.after_step_ns / max(facts.unprofiled_step_ns, 1)
    numbers: Numbers = {
        "factor": factor,
        "limit": _INFLATED,
        "recorder": facts.device_recorder or "",
        "after_us": facts.after_step_ns / 1000,
        "before_us": facts.unprofiled_step_ns / 1000,
    }
    return (("after", _state_of(factor), numbers),)


def _start(report: Report) -> tuple[tuple[str, State, Numbers], ...]:
    start_ns = None if report.facts is None else report.facts.profiler_start_ns
    if start_ns is None or start_ns < _NOTEWORTHY_START_NS:
        return ()
    return (("start", "info", {"start_us": start_ns / 1000}),)


def _cold(report: Report) -> tuple[str, State, Numbers]:
    cold = [step for step in report.steps if step.cold]
    longest = max((step.length_ns for step in cold), default=0)
    numbers = {"cold": len(cold), "steps": len(report.steps), "longest_us": longest / 1000}
    if len(report.steps) < FEWEST_FOR_COLD:
        return "cold_unknown", "unknown", numbers
    return "cold" if cold else "cold_none", "ok", numbers


def _own_sync(report: Report) -> tuple[str, State, Numbers]:
    own = report.sync_points.profiler_own_ns
    return ("own_sync", "ok", {"wait_us": sum(own) / 1000}) if own else ("own_sync_none", "ok", {})


def _others(report: Report) -> tuple[tuple[str, State, Numbers], ...]:
    """Processes of others on the device; only the hook can see them."""
    if report.idle is None:
        return ()
    others = None if report.facts is None else report.facts.other_gpu_processes
    if others is None:
        return (("others_unseen", "unknown", {}),)
    return (("others", "warning", {"processes": others}),) if others else (("others_none", "ok", {}),)


def _missing(report: Report) -> tuple[tuple[str, State, Numbers], ...]:
    missing = () if report.facts is None else report.facts.missing
    return tuple(("fact_missing", "unknown", {"fact": one.name, "reason": one.reason}) for one in missing)
