"""Recordings whose window is not typical of the program: what to say of them before any cause of idle.

A recording that begins with a wait for work from before it, and what is left of its window.

Servers of inference wait for one batch while they prepare the next. A window of one such turn, without
marked steps, holds that wait and not the work that it is for.

What lies outside the window of a recording without marked steps.

Such a window begins with the device's first work and ends with its last (definition 25), so that no idle of
it tells of a program that starts for seconds and computes for milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tbprof.analysis.attribution.graph_places import graph_place
from tbprof.analysis.device_work import lost_kernels, mostly_captured
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_durations import largest_kernels
from tbprof.analysis.intervals import Intervals, clip, intersect, subtract, total_ns, union, union_of
from tbprof.judge import unjudged_words, words
from tbprof.judge.verdict_window import VerdictWindow
from tbprof.judge.window_words import Cause, LargestKernels, Window
from tbprof.model import Finding, Verdict
from tbprof.records import dataclass
from tbprof.rules.trace_health.trc01_cold_start import MOSTLY_COLD_SHARE
from tbprof.rules.trace_health.words import BeforeFirstWork, FirstCalls, LongestCall
from tbprof.trace.columns.arrays import NONE, is_among


@dataclass(frozen=True, slots=True)
class OutsideWindow:
    recording_ns: int
    """The time from the first recorded row to the end of the last."""
    before_ns: int
    """Until the device's first work."""
    after_ns: int
    """The time from the end of its last work."""
    data_ns: int
    """The part of both in which the host is in the data loader."""
    loading_ns: int
    """The part of both in first calls, without the data loader."""


def find_outside_window(facts: Facts) -> OutsideWindow | None:
    """None where steps are marked, where less than half of the recording is outside, and where work there was
    lost.
    """
    if facts.steps.recorded or any(fact.code == "part_left_out" for fact in facts.trace.health):
        return None
    first, last = facts.origin_ns, int(facts.trace.slices.end_ns.max())
    begin, end = int(facts.steps.start_ns[0]), int(facts.steps.end_ns[-1])
    before_ns, after_ns = begin - first, max(last - end, 0)
    if before_ns + after_ns < _MOST * max(last - first, 1):
        return None
    data, loading = facts.causes.states["data"], facts.causes.states["loading"]
    data_outside = _outside_steps(data, first, begin, end, last)
    loading_outside = subtract(_outside_steps(loading, first, begin, end, last), data_outside)
    return OutsideWindow(last - first, before_ns, after_ns, total_ns(data_outside), total_ns(loading_outside))


def _outside_steps(
    intervals: Intervals, first_ns: int, begin_ns: int, end_ns: int, last_ns: int
) -> Intervals:
    return union_of([clip(intervals, first_ns, begin_ns), clip(intervals, end_ns, last_ns)])


_MOST = 0.5
_TURNS = 3
_MOST_NAMES = 0.75
"""The share of the different kernels and copies."""
_FEWEST_OF_TURNS = 20
"""Fewer kernels and copies are no loop that is known to go on as it does here."""


def unusable_launches(facts: Facts, window: VerdictWindow) -> Verdict | None:
    """The verdict where the work of many launches is not in the trace, may not be, or never ran."""
    if facts.trace.is_cut_off:
        return Verdict("cut_off", unjudged_words.CutOff(len(facts.work.rows)))
    lost = lost_kernels(facts.trace)
    if lost is not None:
        launches, without = (int(lost.numbers[name]) for name in ("of", "rows"))
        part, device = str(lost.numbers.get("part", "")), lost.numbers.get("device")
        of = None if device is None else int(device)
        return Verdict("lost_kernels", unjudged_words.LostKernels(launches, without, part, device=of))
    if window.idle_ns < _MOST * window.total_ns:
        return None
    captured = mostly_captured(facts.trace)
    if captured is None:
        return None
    launches, without = (int(captured.numbers[name]) for name in ("of", "rows"))
    return Verdict("capture", unjudged_words.Capture(launches, without))


def untypical_verdict(
    facts: Facts, window: VerdictWindow, findings: Sequence[Finding], figures: Window
) -> Verdict | None:
    """The verdict on a recording that is mostly a wait, a start, or outside its window; None on any other."""
    leading = find_leading_wait(facts, window.device)
    if leading is not None:
        return Verdict("leading_wait", _after_leading(facts, window, leading, figures))
    calls = first_calls(findings)
    if calls is not None and calls.longest is not None and _before_work(calls) is not None:
        return Verdict("cold_start", cold_start(window, calls, calls.longest, figures))
    if (moved := _model_moved(facts, window, figures)) is not None:
        return Verdict("model_moved", moved)
    outside = find_outside_window(facts)
    if outside is None or _has_turns(facts) or _communicates(window):
        return None
    return Verdict("outside_window", _outside(outside, figures))


def _has_turns(facts: Facts) -> bool:
    """Whether most of the work comes again and again: then the turns of a loop are all in the window.

    Of one pass through equal layers most does, too; but what comes before and after these comes once.
    """
    work = facts.work
    launched = work.rows[work.launch != NONE]
    _, which, times = np.unique(facts.trace.slices.name[launched], return_inverse=True, return_counts=True)
    is_again = times >= _TURNS
    if is_again.sum() < _MOST_NAMES * len(times):
        return False
    repeated = int(is_again[which].sum())
    return repeated >= max(_FEWEST_OF_TURNS, _MOST * len(launched))


def _communicates(window: VerdictWindow) -> bool:
    """Whether the device is held by other ranks, who are where their cause is, inside or outside."""
    return window.communication_ns > max(_MOST * window.total_ns, window.idle_ns)


def first_calls(findings: Sequence[Finding]) -> FirstCalls | None:
    """What the rule of cold starts says of first calls; None where it found nothing."""
    return next((one.figures for one in findings if isinstance(one.figures, FirstCalls)), None)


def cold_start(
    window: VerdictWindow, calls: FirstCalls, longest: LongestCall, figures: Window
) -> words.ColdStart:
    """The figures of a window that holds first calls, or whose recording begins with them."""
    before = _before_work(calls)
    return words.ColdStart(
        window=figures,
        cause=Cause("loading", window.causes.get("loading", 0) / 1000),
        calls=longest.loading_calls,
        calls_us=calls.loading_ns / 1000,
        longest_call=longest.longest_call,
        longest_op=longest.longest_op,
        longest_us=longest.longest_ns / 1000,
        before_us=None if before is None else before.before_ns / 1000,
        recording_us=None if before is None else before.recording_ns / 1000,
    )


def _before_work(calls: FirstCalls) -> BeforeFirstWork | None:
    """The first calls before the device's first work, where they are most of the recording."""
    before = calls.before
    if before is None or before.before_ns < max(MOSTLY_COLD_SHARE * before.recording_ns, 1):
        return None
    return before


def named_kernels(facts: Facts, device: int, after_ns: float = -math.inf) -> LargestKernels:
    """The kernels that take most of the device's time, from `after_ns` on."""
    named = [*largest_kernels(facts, device, after_ns), (None, None), (None, None)]
    (kernel, its_share), (following, following_share) = named[:2]
    work = facts.work
    mine = np.flatnonzero(work.is_kernel & (work.device == device) & (work.start_ns >= after_ns))
    place = graph_place(facts.graph_places, mine, (work.end_ns - work.start_ns)[mine])
    return LargestKernels(kernel, its_share, following, following_share, place or None)


def _after_leading(
    facts: Facts, window: VerdictWindow, leading: LeadingWait, figures: Window
) -> words.LeadingWait:
    return words.LeadingWait(
        window=figures,
        leading_us=leading.gap_ns / 1000,
        rest_us=leading.rest_ns / 1000,
        rest_busy_share=leading.busy_ns / max(leading.rest_ns, 1),
        kernels=named_kernels(facts, window.device),
    )


def _model_moved(facts: Facts, window: VerdictWindow, figures: Window) -> words.ModelMoved | None:
    """None where that is hardly any of the window."""
    uploads, busy = facts.moved_model, facts.work.busy[window.device]
    if not len(uploads):
        return None
    begin, last = int(facts.steps.gpu_start_ns[0]), int(facts.steps.gpu_end_ns[-1])
    end = int(facts.program_start.end_ns[0])
    episodes = facts.episodes
    uploading_ns = int(episodes.end_ns[uploads].max() - episodes.start_ns[uploads].min())
    if end - begin < _LARGE * (last - begin):
        return None
    return words.ModelMoved(
        window=figures,
        uploads=len(uploads),
        bytes=int(episodes.bytes[uploads].sum()),
        moved_us=(end - begin) / 1000,
        uploading_us=uploading_ns / 1000,
        rest_us=(last - end) / 1000,
        rest_busy_share=total_ns(clip(busy, end, last)) / max(last - end, 1),
        kernels=named_kernels(facts, window.device, after_ns=end),
    )


def _outside(outside: OutsideWindow, figures: Window) -> words.OutsideWindow:
    return words.OutsideWindow(
        window=figures,
        recording_us=outside.recording_ns / 1000,
        outside_us=(outside.before_ns + outside.after_ns) / 1000,
        before_window_us=outside.before_ns / 1000,
        after_window_us=outside.after_ns / 1000,
        data_us=outside.data_ns / 1000,
        loading_us=outside.loading_ns / 1000,
    )


_LARGE = 1 / 3
"""The share of the window: a shorter gap leaves it as it is."""
_HARDLY = 0.02
"""The share of the recorded work that may run before the gap, such as a kernel that prepares the turn."""
_WHOLE = 0.9
"""The share of the gap during which the host waits: all the time."""


@dataclass(frozen=True, slots=True)
class LeadingWait:
    gap_ns: int
    """How long the device does nothing recorded."""
    rest_ns: int
    """The time from its end to that of the device's last work."""
    busy_ns: int
    """The busy time of the rest."""


def find_leading_wait(facts: Facts, device: int) -> LeadingWait | None:
    """None where steps are marked, and where the largest gap is small, late, or no wait of the host."""
    busy = facts.work.busy[device]
    if facts.steps.recorded or len(busy.start_ns) < 2:
        return None
    gaps_ns = busy.start_ns[1:] - busy.end_ns[:-1]
    at = int(np.argmax(gaps_ns))
    begin, end, last = int(busy.end_ns[at]), int(busy.start_ns[at + 1]), int(busy.end_ns[-1])
    before_ns = total_ns(Intervals(busy.start_ns[: at + 1], busy.end_ns[: at + 1]))
    worked_ns = total_ns(busy)
    is_large = end - begin >= _LARGE * (last - int(busy.start_ns[0]))
    if not is_large or before_ns > _HARDLY * worked_ns or not _waits(facts, begin, end):
        return None
    return LeadingWait(end - begin, last - end, worked_ns - before_ns)


def _waits(facts: Facts, begin_ns: int, end_ns: int) -> bool:
    episodes = facts.episodes
    held = is_among(episodes.lane, facts.training_threads) & episodes.blocking
    waits = union(episodes.start_ns[held], episodes.end_ns[held])
    gap = union(np.array([begin_ns]), np.array([end_ns]))
    return total_ns(intersect(waits, gap)) >= _WHOLE * (end_ns - begin_ns)
