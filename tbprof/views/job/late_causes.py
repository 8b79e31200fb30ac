"""Who was late for what, over the steps of a window, and what a step of the job gains without it."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from tbprof.job.arrivals import NOBODY
from tbprof.job.computing_reason import ComputingReason
from tbprof.job.late_ranks import LateRank
from tbprof.job.rank_record import Part
from tbprof.job.what_if_times import JobAnalysis
from tbprof.records import dataclass
from tbprof.texts.idle import host_place_name
from tbprof.texts.job import (
    cause_phrase,
    fix_title,
    job_cause_name,
    late_cause_sentence,
    late_name,
    saved_sentence,
    with_near_cause,
)
from tbprof.views.job.job_page import JobFix, JobSource, LateCause

_FRAME = re.compile(r"(?P<file>.+?)\((?P<line>\d+)\): (?P<function>.+)", re.DOTALL)

_Key = tuple[int, str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class LateCauses:
    causes: tuple[LateCause, ...]
    of_step: Mapping[int, int]
    """The cause of a step, by the step's number."""


def late_causes(
    analysis: JobAnalysis,
    names: Sequence[str],
    exact_lines: frozenset[tuple[str, int]],
    step_us: float | None,
) -> LateCauses:
    """Latest first, those that were late beside the latest rank of a step where that is worth a word.

    Args:
        analysis: Of the ranks.
        names: Theirs.
        exact_lines: Lines that are those of calls.
        step_us: A step of the job.
    """
    place_of = {late.step: at for at, late in enumerate(analysis.late)}

    def causes(some: Iterable[LateRank], *, is_first: bool) -> list[LateCause]:
        by_key: defaultdict[_Key, list[LateRank]] = defaultdict(list)
        for late in some:
            if late.rank != NOBODY and late.cause is not None:
                by_key[_key(late, late.cause)].append(late)
        return [_cause(of, names, exact_lines, place_of, is_first=is_first) for of in by_key.values()]

    first = causes(analysis.late, is_first=True)
    besides = causes((other for late in analysis.late for other in late.others), is_first=False)
    found = [*first, *(cause for cause in besides if is_worth_naming(cause.late_us, step_us))]
    found.sort(key=lambda cause: (-cause.late_us, cause.rank, cause.sentence))
    of_step = {
        analysis.late[at].step: index
        for index, cause in enumerate(found)
        if any(cause is one for one in first)
        for at in cause.steps
    }
    return LateCauses(tuple(found), of_step)


_WORTH_NAMING = 0.05
"""The share of a step."""


def is_worth_naming(late_us: float, step_us: float | None) -> bool:
    """Whether a rank is so late that the others' steps are longer for it by more than noise."""
    return late_us > _WORTH_NAMING * (step_us or 0.0)


def computes_more(late: LateRank) -> bool:
    """Whether a rank was late since it had more to compute."""
    return late.cause is not None and late.cause.family == "computing" and late.computing == "more"


def phrase_of(cause: LateCause) -> str:
    phrase = cause_phrase(cause.kind, cause.cause, cause.computing, cause.place, cause.module, cause.inputs)
    return with_near_cause(phrase, cause.near) if cause.near else phrase


def plan_of(analysis: JobAnalysis, late: LateCauses, names: Sequence[str]) -> tuple[JobFix, ...]:
    """What a mean step of the job gains without each cause, the one that pays most first."""
    if analysis.estimates is None or not analysis.estimates.steps:
        return ()
    steps = analysis.estimates.whole_steps
    now_us = sum(step.now_ns for step in steps) / len(steps) / 1000
    rows = []
    for index, cause in enumerate(late.causes):
        mine = [step for step in steps if late.of_step.get(step.step) == index]
        floor, saved, ceiling = (
            sum(values) / len(steps) / 1000
            for values in (
                [step.floor_ns for step in mine],
                [step.saving_ns for step in mine],
                [step.ceiling_ns for step in mine],
            )
        )
        name = late_name(names[cause.rank], [names[rank] for rank in cause.also_late])
        title = fix_title(cause.kind, cause.cause, cause.computing, name, cause.place)
        rows.append(JobFix(index, title, saved_sentence(now_us - saved, now_us), floor, saved, ceiling))
    return tuple(sorted((row for row in rows if row.estimate_us > 0), key=lambda row: -row.estimate_us))


def _key(late: LateRank, cause: Part) -> _Key:
    """Ops and modules of one slow device differ from step to step."""
    if cause.family == "computing":
        return late.rank, cause.family, cause.cause, "", late.computing
    return late.rank, cause.family, cause.cause, cause.name, None


def _cause(
    some: Sequence[LateRank],
    names: Sequence[str],
    exact_lines: frozenset[tuple[str, int]],
    place_of: Mapping[int, int],
    *,
    is_first: bool,
) -> LateCause:
    by_part: defaultdict[Part, float] = defaultdict(float)
    for late in some:
        if late.cause is not None:
            by_part[late.cause] += late.late_ns * late.cause_share
    together = Counter(rank for late in some for rank in late.also_late)
    also_late = tuple(sorted(rank for rank, times in together.items() if times > len(some) / 2))
    part = max(by_part, key=lambda one: (by_part[one], one.name, one.within))
    count = len(place_of)
    late_us = sum(late.late_ns for late in some) / count / 1000
    due_ns = sum(_due_ns(late) for late in some)
    due_us = min(due_ns / count / 1000, late_us)
    computing = next((late.computing for late in some if late.computing is not None), None)
    inputs = [late.inputs for late in some if late.inputs is not None and computes_more(late)]
    source = _source(part.name, exact_lines) if part.family == "idle" else None
    place, module = _place(part, source), part.within if part.family == "computing" else ""
    found = LateCause(
        rank=some[0].rank,
        also_late=also_late,
        sentence="",
        steps=tuple(place_of[late.step] for late in some),
        late_us=late_us,
        due_us=due_us,
        kind=part.family,
        cause=part.cause,
        cause_name=job_cause_name(part.family, part.cause, computing),
        place=place,
        source=source,
        op=part.name if part.family == "computing" else "",
        module=module,
        computing=computing if part.family == "computing" else None,
        inputs=median(inputs) if inputs else None,
        near=_near(some, part, computing, exact_lines),
    )
    others = [names[rank] for rank in also_late]
    sentence = late_cause_sentence(
        names[found.rank], others, len(some), count, late_us, due_us, phrase_of(found), is_first=is_first
    )
    return dataclasses.replace(found, sentence=sentence)


def _near(
    some: Sequence[LateRank],
    part: Part,
    computing: ComputingReason | None,
    exact_lines: frozenset[tuple[str, int]],
) -> str:
    """The other cause of most of these steps that is nearly as large."""
    near = Counter(late.near_cause for late in some if late.near_cause is not None)
    most, times = max(near.items(), key=lambda one: (one[1], one[0]), default=(part, 0))
    if times <= len(some) / 2:
        return ""
    place = _place(most, _source(most.name, exact_lines) if most.family == "idle" else None)
    module = most.within if most.family == "computing" else ""
    return cause_phrase(most.family, most.cause, computing, place, module)


def _due_ns(late: LateRank) -> float:
    """What of its lateness the cause explains: no more than the rank itself spent so."""
    due = late.late_ns * late.cause_share
    return due if late.own_ns is None else min(due, late.own_ns)


def _source(name: str, exact_lines: frozenset[tuple[str, int]]) -> JobSource | None:
    found = _FRAME.fullmatch(name)
    if found is None:
        return None
    file, line = found["file"], int(found["line"])
    return JobSource(file, line, found["function"], (file, line) in exact_lines)


def _place(part: Part, source: JobSource | None) -> str:
    """In short: a file without its folder."""
    if source is not None:
        file = source.file.replace("\\", "/").rpartition("/")[2]
        return f"{source.function} at {file}:{source.line}"
    if part.family == "communication":
        return part.within
    return host_place_name(part.name) if part.name else ""
