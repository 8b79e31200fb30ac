"""The one thing to say of a window first, as a case and its numbers.

It is decided here alone, from causes, findings and plan together, so that no sentence denies what
stands beside it. In this order:

- `no_device`, `lost_kernels`, `other_device`: nothing ran on a GPU, or it was not recorded.
- `cold_start`: first calls, in which kernels and library handles are loaded, hold `COLD_SHARE` of the
  idle and at least half as much as the largest cause. Nothing else in such a window is typical.
- `communication`: exposed communication holds a third of the steps, and more than all idle.
- `busy`: the idle is under `BOUND_SHARE`, and removing waits wins under `WORTH_SHARE`.
- `waits`: without its avoidable waits the replayed window is shorter by `RIVAL_SHARE` of the largest
  other cause; or by `DRAINED_SHARE` of it, and most of that idle begins during a wait, which let the
  device run dry (`drained`).
- else the largest cause of idle: `input`, `launch_bound` or `host_bound` (whether the host was
  launching all the time), `staging`, `allocator`, `compile`, `profiler`, `unrecorded`, `queued`, `unknown`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.idle_places import NO_SITE, drained_by
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns
from tbprof.analysis.launch_idle import find_launch_idle
from tbprof.analysis.missing_device import missing_device
from tbprof.model import SEVERITIES, Finding, Numbers, Saving, Verdict

__all__ = ["BOUND_SHARE", "COLD_SHARE", "WORTH_SHARE", "find_verdict"]

BOUND_SHARE = 0.05
"""From this part of the steps on a cause of idle is worth a sentence; xprof calls an input pipeline
"moderate" from here on."""

WORTH_SHARE = 0.01
"""Below this part of the steps a saving is lost in the noise of a step."""

COLD_SHARE = 0.2
COMMUNICATION_SHARE = 1 / 3
RIVAL_SHARE = 0.75
DRAINED_SHARE = 0.3
_MOST = 0.5

_CASES = {"data": "input"}
_WAITS = ("SYN", "CPY")


def find_verdict(facts: Facts, findings: Sequence[Finding], saving: Saving) -> Verdict:
    """The case, and the numbers of its sentences: of all steps, and of the busiest device.

    With a device these are always there: `steps`, `marked` (whether the trace marks steps, 0 or 1),
    `steps_us`, `idle_share`, `empty_share`, `computing_share`, `communication_share` (exposed),
    `copying_share`, `wait_us`, `points`, `floor_us`, `ceiling_us`, `waits_found` (findings about waits and
    copies of at least medium); `estimate_us` and `gain_us` (without any of the waits) where a replay
    tells them; `cause` and `cause_us` where the idle has one. Shares are 0 to 1, of the steps.

    Args:
        facts: Of the window.
        findings: Of all rules, with their severities.
        saving: What the fix plan wins.
    """
    if facts.work.main_device is None:
        return missing_device(facts)
    window = _Window.of(facts)
    numbers = {**_numbers(facts, window, saving), "waits_found": _about_waits(findings)}
    case, more = _case(facts, window, saving)
    return Verdict(case, {**numbers, **more, **_named_by(findings, case)})


@dataclass(frozen=True, slots=True)
class _Window:
    """What the decision is made from, in ns of all steps and of the busiest device."""

    device: int
    total_ns: int
    idle_ns: int
    computing_ns: int
    communication_ns: int
    copying_ns: int
    causes: dict[str, int]
    gain_ns: int | None
    """What the replay wins without any of the waits; None where it is not consistent."""

    @classmethod
    def of(cls, facts: Facts) -> _Window:
        device = facts.work.main_device
        assert device is not None, "a window with a device"
        steps = facts.steps
        causes = facts.causes.total_ns(device)
        if steps.of_device:
            # Behind a host that runs ahead work is always queued: these are the gaps between kernels.
            causes.pop("queued", None)
        start, end = steps.gpu_start_ns, steps.gpu_end_ns
        idle_ns = int(facts.idle.by_device[device].device_ns.sum())
        computing = int(overlap_ns(facts.parts.computing[device], start, end).sum())
        exposed = int(overlap_ns(facts.parts.communication_exposed[device], start, end).sum())
        return cls(
            device=device,
            total_ns=max(steps.total_ns, 1),
            idle_ns=idle_ns,
            computing_ns=computing,
            communication_ns=exposed,
            copying_ns=max(steps.total_ns - idle_ns - computing - exposed, 0),
            causes=causes,
            gain_ns=_gain_ns(facts),
        )


def _gain_ns(facts: Facts) -> int | None:
    won = np.flatnonzero(facts.can_be_won)
    if not len(won):
        return 0
    return facts.replay.saving_ns(won) if facts.replay.is_consistent else None


def _numbers(facts: Facts, window: _Window, saving: Saving) -> dict[str, int | float | str]:
    episodes, total_ns = facts.episodes, window.total_ns
    known = {} if saving.estimate_ns is None else {"estimate_us": saving.estimate_ns / 1000}
    gain = {} if window.gain_ns is None else {"gain_us": window.gain_ns / 1000}
    return {
        "steps": len(facts.steps),
        "marked": int(facts.steps.recorded),
        "steps_us": facts.steps.total_ns / 1000,
        "idle_share": window.idle_ns / total_ns,
        "empty_share": facts.empty_idle_ns / total_ns,
        "computing_share": window.computing_ns / total_ns,
        "communication_share": window.communication_ns / total_ns,
        "copying_share": window.copying_ns / total_ns,
        "wait_us": int(episodes.wait_ns[episodes.blocking].sum()) / 1000,
        "points": int(episodes.blocking.sum()),
        "floor_us": saving.floor_ns / 1000,
        "ceiling_us": saving.ceiling_ns / 1000,
        **known,
        **gain,
    }


def _about_waits(findings: Sequence[Finding]) -> int:
    medium = SEVERITIES.index("medium")
    worth = (f for f in findings if f.rule.startswith(_WAITS) and SEVERITIES.index(f.severity) <= medium)
    return sum(1 for _ in worth)


def _case(facts: Facts, window: _Window, saving: Saving) -> tuple[str, Numbers]:
    others = {cause: ns for cause, ns in window.causes.items() if cause != "sync"}
    cause = max(others, key=lambda name: others[name], default="")
    largest_ns = others.get(cause, 0)
    loading_ns = window.causes.get("loading", 0)
    bound_ns = max(int(BOUND_SHARE * window.total_ns), 1)
    if loading_ns >= max(COLD_SHARE * window.idle_ns, largest_ns * _MOST, bound_ns):
        return "cold_start", {"cause": "loading", "cause_us": loading_ns / 1000}
    if window.communication_ns > max(COMMUNICATION_SHARE * window.total_ns, window.idle_ns):
        return "communication", {}
    if case := _by_waits(facts, window, saving, cause, largest_ns):
        return case, {"cause": cause, "cause_us": largest_ns / 1000}
    if window.idle_ns < bound_ns or largest_ns < max(WORTH_SHARE * window.total_ns, 1):
        return "busy", {}
    if cause == "launch":
        case = _late_host(facts)
    return case or _CASES.get(cause, cause), {"cause": cause, "cause_us": largest_ns / 1000}


def _by_waits(facts: Facts, window: _Window, saving: Saving, cause: str, largest_ns: int) -> str:
    """`waits` or `drained` where removing waits is what to do first, else ""."""
    worth_ns = max(int(WORTH_SHARE * window.total_ns), 1)
    gain_ns = saving.floor_ns if window.gain_ns is None else window.gain_ns
    if gain_ns < worth_ns:
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
    return int(length[sites != NO_SITE].sum()) / max(int(length.sum()), 1)


def _late_host(facts: Facts) -> str:
    idle = find_launch_idle(facts)
    short, long = total_ns(idle.short().idle), total_ns(idle.long().idle)
    return "launch_bound" if short >= long else "host_bound"


def _first_calls(findings: Sequence[Finding]) -> Numbers:
    """What TRC01 says of the calls; the rule speaks wherever this case does."""
    numbers = next(finding.numbers for finding in findings if finding.rule == "TRC01")
    return {
        "calls": numbers["loading_calls"],
        "calls_us": int(numbers["loading_ns"]) / 1000,
        "longest_call": numbers["longest_call"],
        "longest_op": numbers["longest_op"],
        "longest_us": int(numbers["longest_ns"]) / 1000,
    }


def _named_by(findings: Sequence[Finding], case: str) -> Numbers:
    """The place that the worst finding about this case names, and its idle."""
    if case == "cold_start":
        return _first_calls(findings)
    rule = {"launch_bound": "LCH01", "host_bound": "LCH02"}.get(case, "")
    for finding in findings:
        if finding.rule == rule and finding.saving is not None:
            return {"place": finding.numbers["place"], "place_us": finding.saving.ceiling_ns / 1000}
    return {}
