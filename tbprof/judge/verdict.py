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
- `model_moved`: without marked steps, a third of the window or more passes until a model is on its device.
- `outside_window`: without marked steps, half of the recording or more is before the device's first work
  or after its last, and the window is neither several turns of the same work nor mostly communication.
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
- `item_loop`, only with such a finding: the idle in loops over items, which one change wins, is `LOOPS_SHARE`
  of what any other cause holds outside of them, short and long pauses of the host apart.
- else the largest cause of idle: `input`, `launch_bound` or `host_bound` (whether the host was
  launching all the time; `host_unrecorded` where nothing else of its threads was recorded), `staging`,
  `allocator`, `compile`, `profiler`, `unrecorded`, `queued` (`held_back` where work begins only once the
  host waits), `unknown`.

Figures are of the steps that are not cold, where there are several of them; so are those of the screens.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.device_pieces import exposed_on_host
from tbprof.analysis.figures.health import knows_launching_code, missing_device
from tbprof.analysis.figures.host_costs import largest_module, largest_operators, where_operators_ran
from tbprof.analysis.figures.idle_places import drained_by, find_launch_idle
from tbprof.analysis.figures.item_loops import costly_loops, idle_in_steps, in_costly_loops
from tbprof.analysis.held_back import shows_windows
from tbprof.analysis.intervals import Intervals, are_within, intersect, subtract, total_ns, union
from tbprof.judge import unjudged_words, words
from tbprof.judge.actions import answers
from tbprof.judge.room import effect_of
from tbprof.judge.untypical_window import (
    cold_start,
    find_outside_window,
    first_calls,
    named_kernels,
    untypical_verdict,
    unusable_launches,
)
from tbprof.judge.verdict_window import (
    BUSY_SHARE,
    COMMUNICATION_SHARE,
    DRAINED_SHARE,
    EXPOSED_SHARE,
    LOOPS_SHARE,
    RIVAL_SHARE,
    SEVERAL,
    SURELY_BUSY_SHARE,
    WORTH_SHARE,
    VerdictWindow,
)
from tbprof.judge.window_words import Cause, Window
from tbprof.model import BOUND_SHARE, SEVERITIES, Finding, Saving, Verdict
from tbprof.rules.launch.words import BoundCode, HostPauses, ItemLoop
from tbprof.rules.trace_health.trc01_cold_start import COLD_SHARE
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

_FAR_MORE = 1.5
"""The ratio of two ceilings from which on the larger one's cause is spoken of."""
_CASES = {"data": "input"}
_NAME_A_PLACE = ("launch_bound", "host_bound", "item_loop")


def find_verdict(facts: Facts, findings: Sequence[Finding], saving: Saving) -> Verdict:
    """The case, and the figures of its sentences.

    Args:
        facts: Of the window.
        findings: Of all rules, with their severities.
        saving: What the fix plan wins.
    """
    if facts.work.main_device is None:
        return _without_device(facts)
    window = VerdictWindow.of(facts)
    if (launches := unusable_launches(facts, window)) is not None:
        return launches
    about_waits = _about_waits(findings)
    can_go = about_waits > 0 or (saving.estimate_ns or 0) >= WORTH_SHARE * window.total_ns
    figures = _figures(facts, window, saving, about_waits)
    if untypical := untypical_verdict(facts, window, findings, figures):
        return untypical
    figures = dataclasses.replace(figures, around_us=_recording_us(facts))
    return _typical_verdict(facts, window, saving, findings, figures, can_go=can_go)


def _without_device(facts: Facts) -> Verdict:
    missing = missing_device(facts)
    match missing.case:
        case "other_device":
            return Verdict(missing.case, unjudged_words.OtherDevice(missing.devices, missing.rows))
        case "cut_off":
            return Verdict(missing.case, unjudged_words.CutOff())
        case "lost_kernels":
            return Verdict(
                missing.case,
                _all_lost(facts, missing.rows),
            )
        case "only_allocations":
            return Verdict(missing.case, unjudged_words.OnlyAllocations(missing.rows, missing.devices))
    ran = facts.once(where_operators_ran)
    costs = _host_costs(facts)
    steps, a_step = max(len(facts.steps), 1), facts.steps.recorded
    reads = None
    if ran.reads:
        reads = unjudged_words.Reads(ran.reads / steps, ran.reads_ns / 1000 / steps, a_step)
    if ran.device == "mps":
        step_us = facts.steps.total_ns / 1000 / steps
        return Verdict("unseen_device", unjudged_words.UnseenDevice(_MPS, step_us, costs, reads))
    on_cpu = ran.device == "cpu"
    gpu = facts.gpu_of_machine if on_cpu else ""
    exposed = _exposed_on_host(facts)
    figures = unjudged_words.NoDevice(exposed, on_cpu, gpu, costs, reads)
    return Verdict("on_cpu" if gpu and exposed is None else "no_device", figures)


_MPS = "Apple's GPU (MPS)"


def _all_lost(facts: Facts, launches: int) -> unjudged_words.LostKernels:
    lost = next((fact.numbers for fact in facts.trace.health if fact.code == "gpu_work_lost"), {})
    known = {name: int(lost[name]) for name in ("cupti", "runtime", "driver") if name in lost}
    versions = unjudged_words.Versions(**known) if known else None
    return unjudged_words.LostKernels(launches, launches, versions=versions)


def _host_costs(facts: Facts) -> unjudged_words.HostCosts | None:
    """The largest operators and the largest module of a mean step; None where operators hardly take any."""
    largest, steps = largest_operators(facts), max(len(facts.steps), 1)
    if not largest or largest[0].own_ns < WORTH_SHARE * facts.steps.total_ns:
        return None
    first, following = largest[0], (largest[1] if len(largest) > 1 else None)
    module = largest_module(facts)
    return unjudged_words.HostCosts(
        operator=first.name,
        operator_us=first.own_ns / 1000 / steps,
        operator_share=first.share,
        next_operator=None if following is None else following.name,
        next_operator_us=None if following is None else following.own_ns / 1000 / steps,
        next_operator_share=None if following is None else following.share,
        module=None if module is None else module.name,
        module_us=None if module is None else module.own_ns / 1000 / steps,
        module_share=None if module is None else module.share,
        operators_of_step=facts.steps.recorded,
    )


def _exposed_on_host(facts: Facts) -> float | None:
    """The part of the steps in which hosts wait in collectives of their own; None where it is little."""
    steps = facts.steps
    exposed = intersect(exposed_on_host(facts), union(steps.start_ns, steps.end_ns))
    exposed_ns, steps_ns = total_ns(exposed), int(steps.duration_ns.sum())
    is_much = bool(steps_ns) and exposed_ns >= COMMUNICATION_SHARE * steps_ns
    return exposed_ns / steps_ns if is_much else None


def _figures(facts: Facts, window: VerdictWindow, saving: Saving, about_waits: int) -> Window:
    episodes, total_ns = facts.episodes, window.total_ns
    in_loops = episodes.blocking & are_within(episodes.start_ns, facts.once(in_costly_loops))
    return Window(
        steps=len(window.step_ns),
        all_steps=len(facts.steps),
        devices=len(facts.idle.by_device),
        marked=facts.steps.recorded,
        steps_us=int(window.step_ns.sum()) / 1000,
        ranks=facts.trace.world_size or 0,
        idle_share=window.idle_ns / total_ns,
        empty_share=int(facts.idle.by_device[window.device].empty_ns[window.chosen].sum()) / total_ns,
        computing_share=window.computing_ns / total_ns,
        communication_share=window.communication_ns / total_ns,
        waiting_share=min(window.waiting_ns, window.communication_ns) / total_ns,
        no_transfer_share=min(window.no_transfer_ns, window.communication_ns) / total_ns,
        copying_share=window.copying_ns / total_ns,
        wait_us=int(episodes.wait_ns[episodes.blocking].sum()) / 1000,
        floor_us=saving.floor_ns / 1000,
        ceiling_us=saving.ceiling_ns / 1000,
        waits_found=about_waits,
        points=int(episodes.blocking.sum()) if facts.calls_are_recorded else None,
        estimate_us=None if saving.estimate_ns is None else saving.estimate_ns / 1000,
        gain_us=None if window.gain_ns is None else window.gain_ns / 1000,
        loops_points=int(in_loops.sum()),
        loops_wait_us=int(episodes.wait_ns[in_loops].sum()) / 1000,
        loops_go=all(loop.selects for loop in facts.once(costly_loops)),
    )


def _recording_us(facts: Facts) -> float | None:
    outside = find_outside_window(facts)
    return None if outside is None else outside.recording_ns / 1000


def _about_waits(findings: Sequence[Finding]) -> int:
    return sum(_is_alarm(finding, "waits") for finding in findings)


def _is_alarm(finding: Finding, case: str) -> bool:
    return answers(finding.rule, case) and SEVERITIES.index(finding.severity) <= SEVERITIES.index("medium")


def _typical_verdict(
    facts: Facts,
    window: VerdictWindow,
    saving: Saving,
    findings: Sequence[Finding],
    figures: Window,
    *,
    can_go: bool,
) -> Verdict:
    others = {cause: ns for cause, ns in window.causes.items() if cause != "sync"}
    name = max(others, key=lambda cause: others[cause], default="")
    cause = Cause(name, others.get(name, 0) / 1000)
    bound_ns = max(int(BOUND_SHARE * window.total_ns), 1)
    if first := _before_causes(window, findings, figures, others.get(name, 0), can_go=can_go):
        return first
    if uneven := _uneven(window, figures, cause, _case_of(facts, name)):
        return Verdict("uneven", uneven)
    gain_ns = window.gain_ns if can_go and window.gain_ns is not None else 0
    sure_ns = max(saving.floor_ns, saving.estimate_ns or 0)
    if min(gain_ns, sure_ns) < bound_ns and _is_busy(window, _shorter_share(facts, findings), can_go=can_go):
        kernels = named_kernels(facts, window.device)
        return Verdict("busy", words.Busy(figures, cause, _case_of(facts, name), kernels))
    # What the driver holds back is late in a loop, too.
    held = _held_back(facts, figures, cause) if _case_of(facts, name) == "queued" else None
    if held is not None:
        return Verdict("held_back", held)
    if (loops := _loops(facts, window, findings)) is not None:
        return Verdict("item_loop", words.Bound(figures, loops, _where(facts, window, findings, "item_loop")))
    case = _by_waits(facts, window, gain_ns, name, others.get(name, 0))
    if case == "waits":
        return Verdict(case, words.Waits(figures, cause))
    if case == "drained":
        return Verdict(case, words.Drained(figures, cause, _case_of(facts, name)))
    case = _by_worth(facts, findings, _case_of(facts, name))
    where, hook = _where(facts, window, findings, case), facts.trace.facts
    found = None if hook is None or case != "queued" else hook.other_gpu_processes
    return Verdict(case, words.Bound(figures, cause, where, found or None))


def _held_back(facts: Facts, figures: Window, cause: Cause) -> words.HeldBack | None:
    """The figures where the driver holds work back, with the operator that waits longest for it."""
    held = facts.held_back
    if held is None:
        return None
    held_ns: Counter[str] = Counter()
    for site, ns in zip(facts.site_of_episode[held.waits].tolist(), held.held_ns.tolist(), strict=True):
        held_ns[(*facts.sites[site].ops, "")[0]] += ns
    op, _ = max(held_ns.items(), key=lambda one: (one[1], one[0]))
    return words.HeldBack(
        window=figures,
        cause=cause,
        waits=len(held.waits),
        held_us=total_ns(held.idle) / 1000,
        op=op,
        on_windows=shows_windows(facts.trace),
    )


def _before_causes(
    window: VerdictWindow,
    findings: Sequence[Finding],
    figures: Window,
    largest_ns: int,
    *,
    can_go: bool,
) -> Verdict | None:
    """First calls, communication or copies, where these come before any other cause of idle."""
    loading_ns = window.causes.get("loading", 0)
    bound_ns = max(int(BOUND_SHARE * window.total_ns), 1)
    calls = first_calls(findings)
    is_cold = loading_ns >= max(COLD_SHARE * window.idle_ns, largest_ns * _MOST, bound_ns)
    if is_cold and calls is not None and calls.longest is not None:
        return Verdict("cold_start", cold_start(window, calls, calls.longest, figures))
    exposed_ns = max(EXPOSED_SHARE * window.total_ns, window.idle_ns)
    if window.communication_ns > exposed_ns or _communicates_most(window, can_go=can_go):
        return Verdict("communication", words.Communication(figures))
    if window.copying_ns > exposed_ns:
        return Verdict("copying", words.Copying(figures))
    return None


def _communicates_most(window: VerdictWindow, *, can_go: bool) -> bool:
    spent_ns = window.communication_ns
    gain_ns = window.gain_ns if can_go and window.gain_ns is not None else 0
    rivals_ns = max(window.causes.values(), default=0)
    is_much = spent_ns >= COMMUNICATION_SHARE * window.total_ns
    return is_much and spent_ns >= rivals_ns and gain_ns < RIVAL_SHARE * spent_ns


def _is_busy(window: VerdictWindow, shorter_share: float, *, can_go: bool) -> bool:
    """With no more idle than a device has that is fed well; with a little more and no cause for it but waits
    that can't go, or where shorter kernels can win more than twice as much.
    """
    if window.idle_ns < (1 - SURELY_BUSY_SHARE) * window.total_ns:
        return True
    if window.idle_ns > (1 - BUSY_SHARE) * window.total_ns:
        return False
    named = (ns for cause, ns in window.causes.items() if can_go or cause != "sync")
    largest_ns = max(named, default=0)
    wins_more = 2 * window.idle_ns < shorter_share * window.total_ns
    return wins_more or largest_ns < BOUND_SHARE * window.total_ns


def _shorter_share(facts: Facts, findings: Sequence[Finding]) -> float:
    """The part of the steps that the best change of the kernels can win at most."""
    savings = [one.saving for one in findings if effect_of(one.rule) == "shorter_kernels"]
    most_ns = max((saving.ceiling_ns for saving in savings if saving is not None), default=0)
    return most_ns / max(facts.steps.total_ns, 1)


def _case_of(facts: Facts, cause: str) -> str:
    return _late_host(facts) if cause == "launch" else _CASES.get(cause, cause or "unknown")


def _uneven(window: VerdictWindow, figures: Window, cause: Cause, because: str) -> words.Uneven | None:
    """How many steps are idle while most are not, and for how long; None where there are none."""
    share = window.step_idle_ns / np.maximum(window.step_ns, 1)
    typical = median(share)
    if len(share) < SEVERAL + 1 or typical >= BOUND_SHARE or window.idle_ns < BOUND_SHARE * window.total_ns:
        return None
    idle = share >= typical + BOUND_SHARE
    return words.Uneven(
        window=figures,
        cause=cause,
        uneven_steps=int(idle.sum()),
        uneven_idle_us=int(window.step_idle_ns[idle].sum()) / 1000,
        typical_idle_share=typical,
        because=because,
    )


def _by_waits(facts: Facts, window: VerdictWindow, gain_ns: int, cause: str, largest_ns: int) -> str:
    """`waits` or `drained` where removing waits is what to do first, or all other idle is a trifle beside
    what follows them; else "".
    """
    if largest_ns < BOUND_SHARE * window.total_ns <= window.causes.get("sync", 0):
        return "waits"
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


def _loops(facts: Facts, window: VerdictWindow, findings: Sequence[Finding]) -> Cause | None:
    """The idle in loops over items, where that is what to speak of first."""
    if not any(_is_alarm(finding, "item_loop") for finding in findings):
        return None
    steps, loops = facts.steps, facts.once(in_costly_loops)
    inside = union(steps.gpu_start_ns[window.chosen], steps.gpu_end_ns[window.chosen])
    mine_ns = total_ns(intersect(intersect(idle_in_steps(facts), loops), inside))
    pauses = facts.once(find_launch_idle)
    causes = {**facts.causes.empty[window.device], "short": pauses.short().idle, "launch": pauses.long().idle}
    others_ns = [total_ns(subtract(intersect(idle, inside), loops)) for idle in causes.values()]
    is_first = mine_ns >= LOOPS_SHARE * max(others_ns, default=0)
    return Cause("item_loop", mine_ns / 1000) if is_first else None


def _late_host(facts: Facts) -> str:
    idle = facts.once(find_launch_idle)
    short, long = total_ns(idle.short().idle), total_ns(idle.long().idle)
    if short >= long:
        return "launch_bound"
    return "host_bound" if knows_launching_code(facts, idle.long().idle) else "host_unrecorded"


def _by_worth(facts: Facts, findings: Sequence[Finding], case: str) -> str:
    """The case, but other work of the host where less of that wins far more than fewer launches would.

    Pauses between launches that are short add up, and may still be the overhead of many places.
    """
    if case != "launch_bound" or not knows_launching_code(facts):
        return case
    launching_ns, other_ns = (
        max((one.saving.ceiling_ns for one in findings if one.saving and _is_alarm(one, about)), default=0)
        for about in (case, "host_bound")
    )
    return "host_bound" if other_ns > _FAR_MORE * launching_ns else case


def _where(
    facts: Facts, window: VerdictWindow, findings: Sequence[Finding], case: str
) -> words.CausePlace | None:
    """The place that the worst finding about this case names, and its idle."""
    if case == "queued":
        place, ns = queued_place(facts, window.device)
        return words.CausePlace(place, ns / 1000) if place else None
    if case not in _NAME_A_PLACE:
        return None
    for finding in findings:
        is_known = answers(finding.rule, case) and finding.saving is not None
        if is_known and isinstance(finding.figures, BoundCode | HostPauses | ItemLoop):
            if isinstance(finding.figures, ItemLoop) and not finding.figures.place:
                return None
            idle_ns = _in_place_ns(finding.figures) * len(facts.steps)
            return words.CausePlace(finding.figures.place, idle_ns / 1000)
    return None


def _in_place_ns(figures: BoundCode | HostPauses | ItemLoop) -> int:
    return figures.in_place_ns if isinstance(figures, HostPauses) else figures.idle_per_step_ns
