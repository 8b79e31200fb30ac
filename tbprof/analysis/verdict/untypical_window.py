"""Recordings whose window is not typical of the program: what to say of them before any cause of idle."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.analysis.device.captured_launches import mostly_captured
from tbprof.analysis.device.lost_kernels import lost_kernels
from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.leading_wait import LeadingWait, find_leading_wait
from tbprof.analysis.gaps.outside_window import OutsideWindow, find_outside_window
from tbprof.analysis.kernels.largest import largest_kernels
from tbprof.analysis.verdict.thresholds import MOSTLY_COLD_SHARE
from tbprof.analysis.verdict.verdict_window import VerdictWindow
from tbprof.model import Finding, Numbers, Verdict

_MOST = 0.5


def unusable_launches(facts: Facts, window: VerdictWindow) -> Verdict | None:
    """The verdict where the work of many launches is not in the trace, may not be, or never ran."""
    if facts.trace.is_cut_off:
        return Verdict("cut_off", {"gpu_rows": len(facts.work.rows)})
    lost = lost_kernels(facts.trace)
    if lost is not None:
        return Verdict("lost_kernels", {"launches": lost.numbers["of"], "without": lost.numbers["rows"]})
    if window.idle_ns < _MOST * window.total_ns:
        return None
    captured = mostly_captured(facts.trace)
    if captured is None:
        return None
    return Verdict("capture", {"launches": captured.numbers["of"], "without": captured.numbers["rows"]})


def untypical_case(
    facts: Facts, window: VerdictWindow, findings: Sequence[Finding]
) -> tuple[str, Numbers] | None:
    """The case of a recording that is mostly a wait, a start, or outside its window; None of any other."""
    leading = find_leading_wait(facts, window.device)
    if leading is not None:
        return "leading_wait", {**_after_leading(leading), **largest_kernels(facts, window.device)}
    if before := _before_window(findings):
        cold_us = window.causes.get("loading", 0) / 1000
        return "cold_start", {"cause": "loading", "cause_us": cold_us, **before}
    outside = find_outside_window(facts)
    return None if outside is None else ("outside_window", _outside(outside))


def _after_leading(leading: LeadingWait) -> Numbers:
    return {
        "leading_us": leading.gap_ns / 1000,
        "rest_us": leading.rest_ns / 1000,
        "rest_busy_share": leading.busy_ns / max(leading.rest_ns, 1),
    }


def _before_window(findings: Sequence[Finding]) -> Numbers:
    """How long first calls took before the device's first work, where that is most of the recording."""
    found = next((finding.numbers for finding in findings if finding.rule == "TRC01"), {})
    before_ns, recording_ns = int(found.get("before_ns", 0)), int(found.get("recording_ns", 0))
    if before_ns < max(MOSTLY_COLD_SHARE * recording_ns, 1):
        return {}
    return {"before_us": before_ns / 1000, "recording_us": recording_ns / 1000}


def _outside(outside: OutsideWindow) -> Numbers:
    return {
        "recording_us": outside.recording_ns / 1000,
        "outside_us": (outside.before_ns + outside.after_ns) / 1000,
        "before_window_us": outside.before_ns / 1000,
        "after_window_us": outside.after_ns / 1000,
        "data_us": outside.data_ns / 1000,
        "loading_us": outside.loading_ns / 1000,
    }
