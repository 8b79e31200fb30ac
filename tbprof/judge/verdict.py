"""The one thing to say of a window first, as a case and its numbers.

It is decided here alone, from causes, findings and plan together, so that no sentence denies what
stands beside it. In this order:

- `no_device`, `lost_kernels`, `cut_off`, `other_device`: nothing ran on a GPU, or it was not recorded, or
  too much of it was lost.
- `only_allocations`: nothing but what allocators did was recorded.
- `capture`: most launches recorded a graph and ran nothing, and the device was mostly idle.
- `leading_wait`: the window begins with a wait for work that is not in it, for a third of it or more.
- `cold_start`: first calls, in which kernels and library handles are loaded, hold `COLD_SHARE` of the
  idle and at least half as much as the largest cause; or, without marked steps, they take
  `MOSTLY_COLD_SHARE` of the recording before the device's first work. Nothing else there is typical.
- `outside_window`: without marked steps, half of the recording or more is before the device's first work
  or after its last.
- `communication`: exposed communication holds `COMMUNICATION_SHARE` of the steps, at least as much as any
  cause of idle, and removing waits wins less than `RIVAL_SHARE` of it; or a third of the steps and more than
  all idle. A device that waits for other ranks looks busy, and its own host is not to blame.
- `copying`: so do copies with nothing beside them.
- `uneven`: the median step is hardly idle, and single ones are.
- `busy`: the device is idle for less than a tenth of the steps, and removing the waits that can simply go
  wins less than `BOUND_SHARE` of them.
- `waits`, only with a finding about waits or a plan: without its avoidable waits the replayed window is
  shorter by `RIVAL_SHARE` of the largest
  other cause; or by `DRAINED_SHARE` of it, and most of that idle begins during a wait, which let the
  device run dry (`drained`).
- else the largest cause of idle: `input`, `launch_bound` or `host_bound` (whether the host was
  launching all the time), `staging`, `allocator`, `compile`, `profiler`, `unrecorded`, `queued`, `unknown`.

Figures are of the steps that are not cold, where there are several of them; so are those of the screens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.device_pieces import exposed_on_host
from tbprof.analysis.figures.health import missing_device
from tbprof.analysis.figures.idle_places import drained_by, find_launch_idle
from tbprof.analysis.figures.kernel_durations import largest_kernels
from tbprof.analysis.intervals import Intervals, intersect, subtract, total_ns, union
from tbprof.judge.actions import answers
from tbprof.judge.untypical_window import untypical_case, unusable_launches
from tbprof.judge.verdict_window import (
    BUSY_SHARE,
    COMMUNICATION_SHARE,
    DRAINED_SHARE,
    EXPOSED_SHARE,
    RIVAL_SHARE,
    SEVERAL,
    SURELY_BUSY_SHARE,
    WORTH_SHARE,
    VerdictWindow,
)
from tbprof.model import BOUND_SHARE, SEVERITIES, Finding, Numbers, Saving, Verdict
from tbprof.rules.launch.words import BoundCode, HostPauses
from tbprof.rules.trace_health.trc01_cold_start import COLD_SHARE
from tbprof.rules.trace_health.words import FirstCalls
from tbprof.trace.columns.arrays import NONE, median


def queued_place(facts: Facts, device: int) -> tuple[str, int]:
    """The code in whose waits most of that idle lies, and how much, in ns; "" and 0 where there is none.

    A host that runs ahead is anywhere meanwhile; one that stands in a wait names what both wait for.
    """
    episodes = facts.episodes
    blocking = episodes.blocking
    waits = union(episodes.start_ns[blocking], episodes.end_ns[blocking])
    queued = subtract(facts.idle.gaps[device], facts.idle.empty[device])
    inside = union(facts.steps.gpu_start_ns, facts.steps.gpu_end_ns)
    pieces = intersect(intersect(queued, inside), waits)
    names = facts.places.names(pieces.start_ns, pieces.end_ns)
    spent: Counter[str] = Counter()
    for name, ns in zip(names, (pieces.end_ns - pieces.start_ns).tolist(), strict=True):
        spent[name] += ns
    place, most_ns = max(spent.items(), key=lambda one: one[1], default=("", 0))
    if not place or most_ns < _MOST * total_ns(queued):
        return "", 0
    return place, most_ns


_MOST = 0.5

_CASES = {"data": "input"}
_NAME_A_PLACE = ("launch_bound", "host_bound")


def find_verdict(facts: Facts, findings: Sequence[Finding], saving: Saving) -> Verdict:
    """The case, and the numbers of its sentences: of all steps, and of the busiest device.

    With a device these are always there: `steps`, `devices` (that did work), `marked` (whether the trace
    marks steps, 0 or 1), `steps_us`, `idle_share`, `empty_share`, `computing_share`, `communication_share`
    (exposed), `waiting_share` (the part of that which is no transfer for sure), `copying_share`, `wait_us`,
    `floor_us`, `ceiling_us`, `waits_found` (findings about waits and copies of at least medium);
    `points` where calls of the host were recorded; `estimate_us` and `gain_us` (without any of the
    waits) where a replay tells them; `cause` and `cause_us` where the idle has one. Shares are 0 to 1,
    of the steps.

    Args:
        facts: Of the window.
        findings: Of all rules, with their severities.
        saving: What the fix plan wins.
    """
    if facts.work.main_device is None:
        missing = missing_device(facts)
        return _with_host_communication(facts, missing) if missing.case == "no_device" else missing
    window = VerdictWindow.of(facts)
    if (launches := unusable_launches(facts, window)) is not None:
        return launches
    about_waits = _about_waits(findings)
    can_go = about_waits > 0 or (saving.estimate_ns or 0) >= WORTH_SHARE * window.total_ns
    numbers = {**_numbers(facts, window, saving), "waits_found": about_waits}
    case, more = untypical_case(facts, window, findings) or _case(facts, window, saving, can_go=can_go)
    if case == "queued":
        return Verdict(case, {**numbers, **more, **_queued_place(facts, window)})
    named = _kernels(facts, window) if case == "busy" else _named_by(findings, case, len(facts.steps))
    return Verdict(case, {**numbers, **more, **named})


def _with_host_communication(facts: Facts, verdict: Verdict) -> Verdict:
    """Where the hosts do collectives themselves, and wait in them for a considerable part of the steps."""
    steps = facts.steps
    exposed = intersect(exposed_on_host(facts), union(steps.start_ns, steps.end_ns))
    exposed_ns, steps_ns = total_ns(exposed), int(steps.duration_ns.sum())
    if not steps_ns or exposed_ns < COMMUNICATION_SHARE * steps_ns:
        return verdict
    return Verdict(verdict.case, {"exposed_share": exposed_ns / steps_ns})


def _queued_place(facts: Facts, window: VerdictWindow) -> Numbers:
    place, ns = queued_place(facts, window.device)
    return {"place": place, "place_us": ns / 1000} if place else {}


def _kernels(facts: Facts, window: VerdictWindow) -> Numbers:
    """Where nothing but kernels is left to become faster."""
    return largest_kernels(facts, window.device)


def _numbers(facts: Facts, window: VerdictWindow, saving: Saving) -> dict[str, int | float | str]:
    episodes, total_ns = facts.episodes, window.total_ns
    known = {} if saving.estimate_ns is None else {"estimate_us": saving.estimate_ns / 1000}
    gain = {} if window.gain_ns is None else {"gain_us": window.gain_ns / 1000}
    points = {"points": int(episodes.blocking.sum())} if facts.calls_are_recorded else {}
    return {
        "steps": len(window.step_ns),
        "all_steps": len(facts.steps),
        "devices": len(facts.idle.by_device),
        "marked": int(facts.steps.recorded),
        "steps_us": int(window.step_ns.sum()) / 1000,
        "ranks": facts.trace.world_size or 0,
        "idle_share": window.idle_ns / total_ns,
        "empty_share": int(facts.idle.by_device[window.device].empty_ns[window.chosen].sum()) / total_ns,
        "computing_share": window.computing_ns / total_ns,
        "communication_share": window.communication_ns / total_ns,
        "waiting_share": min(window.waiting_ns, window.communication_ns) / total_ns,
        "copying_share": window.copying_ns / total_ns,
        "wait_us": int(episodes.wait_ns[episodes.blocking].sum()) / 1000,
        "floor_us": saving.floor_ns / 1000,
        "ceiling_us": saving.ceiling_ns / 1000,
        **points,
        **known,
        **gain,
    }


def _about_waits(findings: Sequence[Finding]) -> int:
    medium = SEVERITIES.index("medium")
    worth = (f for f in findings if answers(f.rule, "waits") and SEVERITIES.index(f.severity) <= medium)
    return sum(1 for _ in worth)


def _case(facts: Facts, window: VerdictWindow, saving: Saving, *, can_go: bool) -> tuple[str, Numbers]:
    others = {cause: ns for cause, ns in window.causes.items() if cause != "sync"}
    cause = max(others, key=lambda name: others[name], default="")
    largest_ns = others.get(cause, 0)
    loading_ns = window.causes.get("loading", 0)
    bound_ns = max(int(BOUND_SHARE * window.total_ns), 1)
    if loading_ns >= max(COLD_SHARE * window.idle_ns, largest_ns * _MOST, bound_ns):
        return "cold_start", {"cause": "loading", "cause_us": loading_ns / 1000}
    exposed_ns = max(EXPOSED_SHARE * window.total_ns, window.idle_ns)
    if window.communication_ns > exposed_ns or _communicates_most(window, can_go=can_go):
        return "communication", {}
    if window.copying_ns > exposed_ns:
        return "copying", {}
    named: Numbers = {"cause": cause, "cause_us": largest_ns / 1000}
    if uneven := _uneven(window):
        return "uneven", {**named, **uneven, "because": _case_of(facts, cause)}
    gain_ns = window.gain_ns if can_go and window.gain_ns is not None else 0
    sure_ns = max(saving.floor_ns, saving.estimate_ns or 0)
    if min(gain_ns, sure_ns) < bound_ns and _is_busy(window):
        return "busy", {**named, "because": _case_of(facts, cause)}
    if case := _by_waits(facts, window, gain_ns, cause, largest_ns):
        return case, named
    return _case_of(facts, cause), named


def _communicates_most(window: VerdictWindow, *, can_go: bool) -> bool:
    spent_ns = window.communication_ns
    gain_ns = window.gain_ns if can_go and window.gain_ns is not None else 0
    rivals_ns = max(window.causes.values(), default=0)
    is_much = spent_ns >= COMMUNICATION_SHARE * window.total_ns
    return is_much and spent_ns >= rivals_ns and gain_ns < RIVAL_SHARE * spent_ns


def _is_busy(window: VerdictWindow) -> bool:
    """With no more idle than a device has that is fed well, or with a little more and no cause for it."""
    if window.idle_ns < (1 - SURELY_BUSY_SHARE) * window.total_ns:
        return True
    largest_ns = max(window.causes.values(), default=0)
    return window.idle_ns <= (1 - BUSY_SHARE) * window.total_ns and largest_ns < BOUND_SHARE * window.total_ns


def _case_of(facts: Facts, cause: str) -> str:
    return _late_host(facts) if cause == "launch" else _CASES.get(cause, cause or "unknown")


def _uneven(window: VerdictWindow) -> Numbers:
    """How many steps are idle while most are not, and for how long; nothing where there are none."""
    share = window.step_idle_ns / np.maximum(window.step_ns, 1)
    typical = median(share)
    if len(share) < SEVERAL + 1 or typical >= BOUND_SHARE or window.idle_ns < BOUND_SHARE * window.total_ns:
        return {}
    idle = share >= typical + BOUND_SHARE
    return {
        "uneven_steps": int(idle.sum()),
        "uneven_idle_us": int(window.step_idle_ns[idle].sum()) / 1000,
        "typical_idle_share": typical,
    }


def _by_waits(facts: Facts, window: VerdictWindow, gain_ns: int, cause: str, largest_ns: int) -> str:
    """`waits` or `drained` where removing waits is what to do first, else ""."""
    if gain_ns < max(int(WORTH_SHARE * window.total_ns), 1):
        return ""
    if gain_ns >= RIVAL_SHARE * largest_ns:
        return "waits"
    pieces = facts.causes.empty[window.device].get(cause)
    if pieces is None or gain_ns < DRAINED_SHARE * largest_ns:
        return ""
    return "drained" if _drained_share(facts, pieces) >= _MOST else ""


def _drained_share(facts: Facts, pieces: Intervals) -> float:
    """The part of this idle of the busiest device that begins with a wait in which it ran dry."""
    sites = np.array(drained_by(facts, facts.empty_idle, pieces.start_ns), np.int64)
    length = pieces.end_ns - pieces.start_ns
    return int(length[sites != NONE].sum()) / max(int(length.sum()), 1)


def _late_host(facts: Facts) -> str:
    idle = facts.once(find_launch_idle)
    short, long = total_ns(idle.short().idle), total_ns(idle.long().idle)
    return "launch_bound" if short >= long else "host_bound"


def _first_calls(findings: Sequence[Finding]) -> Numbers:
    """What TRC01 says of the calls; the rule speaks wherever this case does."""
    found = next(one.figures for one in findings if isinstance(one.figures, FirstCalls))
    assert found.longest is not None, "the case of a window with first calls"
    return {
        "calls": found.longest.loading_calls,
        "calls_us": found.loading_ns / 1000,
        "longest_call": found.longest.longest_call,
        "longest_op": found.longest.longest_op,
        "longest_us": found.longest.longest_ns / 1000,
    }


def _named_by(findings: Sequence[Finding], case: str, steps: int) -> Numbers:
    """The place that the worst finding about this case names, and its idle."""
    if case == "cold_start":
        return _first_calls(findings)
    if case not in _NAME_A_PLACE:
        return {}
    for finding in findings:
        is_known = answers(finding.rule, case) and finding.saving is not None
        if is_known and isinstance(finding.figures, BoundCode | HostPauses):
            idle_ns = finding.figures.idle_per_step_ns * steps
            return {"place": finding.figures.place, "place_us": idle_ns / 1000}
    return {}
