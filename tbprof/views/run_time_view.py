"""The records of the page Run from what the hook left of a run."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median

from tbprof.model import Report
from tbprof.model.run_time import Pause, RunTime
from tbprof.texts.run_time import (
    PART_NAMES,
    RunShares,
    processes_sentence,
    run_advice,
    run_sentence,
    unrecorded_sentence,
    window_sentence,
)
from tbprof.views.lost_time import idle_share
from tbprof.views.run_time import NO_RUN_TIME, RunPartRow, RunPauseRow, RunTimeView, StepLength

_LONGEST_RESTART_NS = 24 * 3600 * 1_000_000_000
"""What starts later is another run in the same folder."""

_OVERLAP_NS = 1_000_000_000
_MATTERS_SHARE = 0.05
_FEWEST_SLOW, _ALIKE = 2, 4
_LONG_FACTOR = 2
"""The hook takes a step that is so much longer for one that does something that others don't."""
_LONG_NS = 600 * 1_000_000_000
"""In a shorter run the start says nothing of what it will be in a long one."""
_MOST_PAUSES = 40
_US_PER_HOUR = 3.6e9


def run_time_view(
    times: Sequence[RunTime], reports: Sequence[Report] = (), problems: Sequence[str] = ()
) -> RunTimeView:
    """The newest run among these files; `reports` are of windows of it."""
    lanes = [lane for lane in _lanes(times) if sum(one.wall_ns for one in lane) > 0]
    if not lanes:
        return dataclasses.replace(NO_RUN_TIME, problems=tuple(problems))
    idle = [found for report in reports if (found := idle_share(report)) is not None]
    ns, counts = _parts(lanes, fmean(idle) if idle else 0.0)
    shares = RunShares(
        wall_us=ns.total() / len(lanes) / 1e3,
        parts={part: ns[part] / ns.total() for part in PART_NAMES if ns[part]},
        counts={part: count // len(lanes) for part, count in counts.items()},
    )
    pauses = [
        (dataclasses.replace(pause, at_ns=pause.at_ns + one.began_ns - lane[0].began_ns), one)
        for lane in lanes
        for one in lane
        for pause in one.pauses
    ]
    sentences = (
        window_sentence(shares) if idle else "",
        _unrecorded(ns, counts, _step_us(lanes), [pause for pause, _ in pauses], reports),
        processes_sentence(len(lanes), sum(len(lane) - 1 for lane in lanes)),
    )
    lengths = sum((Counter(dict(lane[-1].lengths)) for lane in lanes), Counter[int]())
    return RunTimeView(
        headline=run_sentence(shares),
        sentences=tuple(sentence for sentence in sentences if sentence),
        comes_first=_comes_first(shares),
        advice=tuple(run_advice(shares, [pause for pause, _ in pauses])),
        wall_us=shares.wall_us,
        step_us=_step_us(lanes),
        goodput=shares.steps,
        parts=_part_rows(shares, counts, sum(lane[-1].has_gpu for lane in lanes)),
        pauses=_pause_rows(pauses),
        lengths=tuple(StepLength(below_ns / 1e3, lengths[below_ns]) for below_ns in sorted(lengths)),
        problems=tuple(problems),
    )


def goodputs_of(times: Mapping[str, Sequence[RunTime]]) -> dict[str, float]:
    """The share of steps as usual, by run; without the runs of which nothing was noted."""
    views = {run: run_time_view(of_run) for run, of_run in times.items()}
    return {run: view.goodput for run, view in views.items() if view.headline}


def _unrecorded(
    ns: Mapping[str, int],
    counts: Mapping[str, int],
    step_us: float | None,
    pauses: Sequence[Pause],
    reports: Sequence[Report],
) -> str:
    """What is to be known where some steps take far longer and none that a report is of; else ""."""
    beyond_ns, slow = ns["slow"], counts["slow"]
    kept = [pause.ns for pause in pauses if pause.part == "slow"]
    longest = [each for each in kept if _ALIKE * each >= max(kept)]
    if 2 * sum(longest) > beyond_ns:
        # The others are only held up now and then. In a long run the longest are not all kept.
        beyond_ns, slow = sum(longest), len(longest)
    if slow < _FEWEST_SLOW or not step_us or not reports or any(map(_has_long_step, reports)):
        return ""
    if beyond_ns < _MATTERS_SHARE * (ns["steps"] + ns["slow"]):
        return ""
    return unrecorded_sentence(counts["steps"] / slow, 1 + beyond_ns / slow / (step_us * 1e3))


def _has_long_step(report: Report) -> bool:
    lengths_ns = [step.duration_ns for step in report.steps if not step.cold]
    return bool(lengths_ns) and max(lengths_ns) > _LONG_FACTOR * median(lengths_ns)


def _step_us(lanes: Sequence[Sequence[RunTime]]) -> float | None:
    known = [lane[-1].step_ns for lane in lanes]
    steps_ns = [step_ns for step_ns in known if step_ns]
    return fmean(steps_ns) / 1e3 if steps_ns else None


def _part_rows(run: RunShares, counts: Mapping[str, int], gpus: int) -> tuple[RunPartRow, ...]:
    return tuple(
        RunPartRow(
            part=part,
            name=PART_NAMES[part],
            us=share * run.wall_us,
            share=share,
            gpu_h=share * run.wall_us * gpus / _US_PER_HOUR if gpus else None,
            count=counts.get(part, 0),
        )
        for part, share in run.parts.items()
    )


def _comes_first(run: RunShares) -> bool:
    """Whether what is outside of usual steps is more than what a window can show."""
    lost = run.lost
    if run.wall_us * 1e3 < _LONG_NS:
        lost.pop("start", None)
    outside = sum(lost.values())
    return outside >= _MATTERS_SHARE and outside > run.parts.get("idle", 0.0)


def _lanes(times: Sequence[RunTime]) -> list[list[RunTime]]:
    """The processes of the newest run by rank, each with those before it that broke off."""
    lanes: list[list[RunTime]] = []
    for one in sorted(times, key=lambda one: one.began_ns):
        lane = next((lane for lane in lanes if _goes_on(lane[-1], one)), None)
        if lane is None:
            lanes.append([one])
        else:
            lane.append(one)
    newest_ns = max((lane[-1].began_ns for lane in lanes), default=0)
    return [lane for lane in lanes if _end_ns(lane[-1]) >= newest_ns]


def _goes_on(before: RunTime, after: RunTime) -> bool:
    gap_ns = after.began_ns - _end_ns(before)
    return (
        before.rank == after.rank and before.end != "closed" and -_OVERLAP_NS <= gap_ns <= _LONGEST_RESTART_NS
    )


def _end_ns(one: RunTime) -> int:
    return one.began_ns + one.wall_ns


def _parts(lanes: Sequence[Sequence[RunTime]], idle: float) -> tuple[Counter[str], Counter[str]]:
    """The time and the number of each part, over all processes."""
    ns, counts = Counter[str](), Counter[str]()
    for lane in lanes:
        for one in lane:
            for part in one.parts:
                ns[part.part] += part.ns
                counts[part.part] += part.count
        for before, after in pairwise(lane):
            again_ns = _done_again_ns(before, after)
            ns["steps"] -= again_ns
            ns["restart"] += again_ns + max(0, after.began_ns - _end_ns(before))
            counts["restart"] += 1
    ns["idle"] = round(ns["steps"] * idle)
    ns["steps"] -= ns["idle"]
    return ns, counts


def _done_again_ns(before: RunTime, after: RunTime) -> int:
    """The time of the steps since the checkpoint from which a run went on; 0 where nobody said which."""
    if not after.first_step:
        return 0
    again = before.first_step + before.steps - after.first_step
    own_ns = sum(part.ns for part in before.parts if part.part == "steps")
    return min(max(again, 0) * (before.step_ns or 0), own_ns)


def _pause_rows(pauses: Sequence[tuple[Pause, RunTime]]) -> tuple[RunPauseRow, ...]:
    longest = sorted(pauses, key=lambda pair: -pair[0].ns)[:_MOST_PAUSES]
    longest.sort(key=lambda pair: (pair[0].at_ns, pair[1].rank or 0))
    return tuple(
        RunPauseRow(
            name=PART_NAMES[pause.part],
            at_us=pause.at_ns / 1e3,
            us=pause.ns / 1e3,
            step=one.first_step + pause.step,
            place=pause.place,
            rank=one.rank,
        )
        for pause, one in longest
    )
