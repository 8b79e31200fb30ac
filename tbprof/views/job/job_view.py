"""The summaries of a run's ranks to the page of its job."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from tbprof.job.arrivals import NOBODY
from tbprof.job.matching import Unmatched
from tbprof.job.rank_record import RankRecord
from tbprof.job.what_if_times import JobAnalysis, analyze_ranks
from tbprof.model import Severity
from tbprof.records import dataclass
from tbprof.rules.communication import dst02_late_rank as late_rank
from tbprof.rules.communication import dst08_different_sequences as different_sequences
from tbprof.texts.job import (
    alone_detail,
    balance_sentence,
    cold_sentence,
    damaged_note,
    first_order,
    left_out_note,
    left_out_sentence,
    no_estimate_note,
    older_worker_note,
    other_training_note,
    problem_note,
    rank_name,
    same_rank_note,
    unmatched_sentence,
    unrelated_note,
    unrelated_sentence,
)
from tbprof.texts.rule_pages import rule_words
from tbprof.views.job.job_page import (
    JobFinding,
    JobFix,
    JobPage,
    JobRank,
    JobStep,
    LateCause,
    RankProblem,
    UnmatchedGroup,
    UnreadRank,
    WhatIf,
)
from tbprof.views.job.job_verdict import JobVerdict, job_verdict
from tbprof.views.job.late_causes import LateCauses, computes_more, late_causes, plan_of
from tbprof.views.job.rank_roles import with_roles
from tbprof.views.job.rank_rows import AbsentRanks, absent_ranks, rank_rows, rank_waits
from tbprof.views.job.rank_summary import RankSummary
from tbprof.views.job.strips import job_collectives, meetings_of, strips_of
from tbprof.views.related import Recording, unrelated


def _in_line(rank: RankSummary) -> tuple[bool, int, int, str]:
    """The ranks in order; of several with the same number the one that was recorded last comes first."""
    return rank.rank is None, rank.rank or 0, -rank.recorded_ns, rank.worker


def job_page(
    ranks: Sequence[RankSummary],
    problems: Sequence[RankProblem] = (),
    older: Sequence[str] = (),
    reading: Sequence[UnreadRank] = (),
) -> JobPage:
    """The page; whatever the order of the ranks, it is the same.

    Args:
        ranks: Those that gave a report.
        problems: Those that gave none.
        older: Workers of earlier trainings in the same folder.
        reading: Those that are still being read.
    """
    in_order = sorted(ranks, key=_in_line)
    apart = unrelated({at: _recording(rank) for at, rank in enumerate(in_order)})
    if len(apart) < len(in_order) or any((rank.world_size or 0) > 1 and rank.record for rank in in_order):
        # Ranks of another world are named by `ranks_of_one_job`.
        apart = frozenset(at for at in apart if (in_order[at].world_size or 0) <= 1)
    related = [rank for at, rank in enumerate(in_order) if at not in apart]
    if not related and not reading:
        return _without_job(in_order, problems)
    workers = [in_order[at].worker for at in sorted(apart)]
    ranks, others = ranks_of_one_job(related)
    others += [unrelated_note(workers)] if workers else []
    job = _compared(ranks)
    silent = [RankProblem(rank.rank, rank.worker, rank.why_not) for rank in ranks if rank.record is None]
    left_out = _in_order([*problems, *silent])
    absent = absent_ranks(
        job.ranks,
        left_out,
        reading,
        world_size=job.world_size,
        elsewhere={rank.rank for rank in in_order if rank.rank is not None},
    )
    notes = (
        *absent.notes,
        *_notes(left_out, job),
        *others,
        *(older_worker_note(worker) for worker in sorted(older)),
    )
    return _page(job, absent, left_out, notes)


def _recording(rank: RankSummary) -> Recording:
    exchanges = rank.record is not None or rank.why_not in ("older", "damaged")
    return Recording(rank.worker, rank.rank, rank.world_size, exchanges, rank.recorded_ns)


def _without_job(recordings: Sequence[RankSummary], problems: Sequence[RankProblem]) -> JobPage:
    """The page of a folder whose recordings are of no job."""
    page = _page(_compared([]), absent_ranks([], [], [], world_size=None, elsewhere=set()), (), ())
    return dataclasses.replace(
        page,
        verdict=unrelated_sentence(len(recordings)),
        detail=alone_detail(),
        problems=_in_order(problems),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """The ranks that can be compared, and what comparing them says."""

    ranks: Sequence[RankSummary]
    records: Sequence[RankRecord]
    names: Sequence[str]
    analysis: JobAnalysis
    unmatched: tuple[UnmatchedGroup, ...]
    late: LateCauses
    recorded: int
    """How many ranks gave a report."""
    world_size: int | None
    """The size of the job's world, as all of these recorded it."""


def _compared(ranks: Sequence[RankSummary]) -> _Job:
    compared = [(rank, rank.record) for rank in ranks if rank.record is not None]
    records = [record for _, record in compared]
    names = [rank_name(rank.rank, rank.worker) for rank, _ in compared]
    analysis = analyze_ranks(records)
    return _Job(
        ranks=[rank for rank, _ in compared],
        records=records,
        names=names,
        analysis=analysis,
        unmatched=_unmatched(analysis, names),
        late=late_causes(
            analysis,
            names,
            frozenset(line for rank in ranks for line in rank.exact_lines),
            _step_us(rank_rows([rank for rank, _ in compared], analysis)),
        ),
        recorded=len(ranks),
        world_size=max((rank.world_size for rank in ranks if rank.world_size is not None), default=None),
    )


def _page(
    job: _Job, absent: AbsentRanks, left_out: tuple[RankProblem, ...], notes: tuple[str, ...]
) -> JobPage:
    analysis, causes = job.analysis, job.late.causes
    waits = rank_waits(analysis)
    rows = with_roles(rank_rows(job.ranks, analysis), waits, causes)
    meetings = meetings_of(analysis, job.records)
    plan = plan_of(analysis, job.late, job.names)
    collectives = job_collectives(analysis, job.records, job.world_size)
    verdict = job_verdict(
        rows,
        waits,
        causes,
        plan,
        analysis,
        kind=collectives[0].kind if collectives else "",
        recorded=job.recorded,
        absent=absent,
    )
    step_us = _step_us(rows)
    what_if = _what_if(analysis)
    sentence, detail = _first(job, rows, verdict, what_if, has_plan=bool(plan))
    return JobPage(
        verdict=sentence,
        detail=detail,
        notes=notes,
        step_us=step_us,
        waiting_share=verdict.waiting_share,
        matched=analysis.matching.matched_count,
        unmatched=analysis.matching.unmatched_count,
        on="host" if job.ranks and all(rank.on == "host" for rank in job.ranks) else "device",
        ranks=rows,
        waits=waits,
        late=causes,
        plan=plan,
        findings=job_findings(causes, plan, analysis.matching.unmatched, step_us),
        what_if=what_if,
        steps=_steps(analysis, job.late),
        meetings=meetings.rows,
        strips=strips_of(analysis, job.records, [row.late_us or 0.0 for row in rows], meetings),
        collectives=collectives,
        unmatched_groups=job.unmatched,
        missing=absent.missing,
        problems=left_out,
    )


def _first(
    job: _Job, rows: Sequence[JobRank], verdict: JobVerdict, what_if: WhatIf | None, *, has_plan: bool
) -> tuple[str, str]:
    """The verdict and what stands beside it; before both where most windows hold first calls."""
    role = rows[job.late.causes[0].rank].role if job.late.causes else None
    # The plan says what to do, with what it saves.
    order = first_order(role.order) if role is not None and role.order and not has_plan else ""
    detail = " ".join(part for part in (verdict.detail, _balance(what_if), order) if part)
    cold = [name for name, rank in zip(job.names, job.ranks, strict=True) if rank.is_cold]
    if not cold or 2 * len(cold) < len(job.ranks):
        return verdict.sentence, detail
    return cold_sentence(cold, len(job.ranks)), f"{verdict.sentence} {detail}".rstrip()


def _balance(what_if: WhatIf | None) -> str:
    """What equal work would give; "" where that may be nothing."""
    if what_if is None or what_if.balanced_us is None or not what_if.balance_floor_us:
        return ""
    return balance_sentence(
        what_if.balanced_us, what_if.step_us, what_if.balance_floor_us, what_if.balance_ceiling_us or 0.0
    )


def _step_us(rows: Sequence[JobRank]) -> float | None:
    steps_us = [row.step_us for row in rows if row.step_us is not None]
    return median(steps_us) if steps_us else None


def _in_order(problems: Sequence[RankProblem]) -> tuple[RankProblem, ...]:
    named = (
        RankProblem(one.rank, one.worker, problem_note(rank_name(one.rank, one.worker), one.sentence))
        for one in problems
    )
    return tuple(sorted(named, key=lambda one: (one.rank is None, one.rank or 0, one.worker)))


def _notes(problems: Sequence[RankProblem], job: _Job) -> Iterator[str]:
    yield from (one.sentence for one in problems)
    yield from (one.sentence for one in job.unmatched)
    for rank in job.ranks:
        if rank.is_damaged:
            yield damaged_note(rank_name(rank.rank, rank.worker))
        if rank.left_out:
            yield left_out_note(rank_name(rank.rank, rank.worker), rank.left_out)
    estimates = job.analysis.estimates
    if estimates is not None and not estimates.steps:
        yield no_estimate_note(estimates.error)


def _what_if(analysis: JobAnalysis) -> WhatIf | None:
    estimates = analysis.estimates
    if estimates is None or not estimates.steps or estimates.error is None:
        return None
    steps = estimates.whole_steps

    def mean(values: Iterable[int]) -> float:
        return sum(values) / len(steps) / 1000

    more = {late.step for late in analysis.late if computes_more(late)}
    uneven = [step for step in steps if step.step in more]
    gained = mean(step.now_ns - step.balanced_ns for step in uneven)
    return WhatIf(
        step_us=mean(step.now_ns for step in steps),
        without_us=mean(step.without_ns for step in steps),
        ideal_us=mean(step.ideal_ns for step in steps),
        floor_us=mean(step.floor_ns for step in steps),
        ceiling_us=mean(step.ceiling_ns for step in steps),
        balanced_us=mean(step.now_ns for step in steps) - gained if uneven else None,
        balance_floor_us=mean(step.balance_floor_ns for step in uneven) if uneven else None,
        balance_ceiling_us=mean(step.balance_ceiling_ns for step in uneven) if uneven else None,
        error=estimates.error,
    )


def _steps(analysis: JobAnalysis, late: LateCauses) -> tuple[JobStep, ...]:
    estimates = {} if analysis.estimates is None else {one.step: one for one in analysis.estimates.steps}
    rows = []
    for one in analysis.late:
        found = estimates.get(one.step)
        rows.append(
            JobStep(
                step=one.step,
                late_rank=None if one.rank == NOBODY else one.rank,
                cause=late.of_step.get(one.step),
                late_us=one.late_ns / 1000,
                wait_us=one.waits_ns / 1000,
                latest_in=one.latest_in,
                collectives=one.collectives,
                recorded_us=None if found is None else found.recorded_ns / 1000,
                without_us=None if found is None else found.without_ns / 1000,
                ideal_us=None if found is None else found.ideal_ns / 1000,
            )
        )
    return tuple(rows)


def _unmatched(analysis: JobAnalysis, names: Sequence[str]) -> tuple[UnmatchedGroup, ...]:
    return tuple(
        UnmatchedGroup(
            one.group,
            one.count,
            unmatched_sentence(one.group, one.reason, one.count)
            if one.rank is None
            else left_out_sentence(names[one.rank], one.group, one.count, one.of),
        )
        for one in analysis.matching.unmatched
    )


def ranks_of_one_job(ranks: Sequence[RankSummary]) -> tuple[list[RankSummary], list[str]]:
    """The ranks of the world that most ranks are of, and a note on each other one.

    A folder that traces were copied into, or two trainings wrote to, may hold ranks of several, or one under
    two names.

    Args:
        ranks: By rank; of two with the same one the first is taken.
    """
    worlds = Counter(rank.world_size for rank in ranks if rank.world_size is not None)
    world = max(worlds, key=lambda size: (worlds[size], size), default=None)
    taken: list[RankSummary] = []
    notes: list[str] = []
    workers: dict[int, str] = {}
    for rank in ranks:
        if rank.world_size is not None and world is not None and rank.world_size != world:
            notes.append(other_training_note(rank.worker, rank.world_size, world))
        elif rank.rank is not None and rank.rank in workers:
            notes.append(same_rank_note(rank.worker, workers[rank.rank], rank_name(rank.rank, rank.worker)))
        else:
            taken.append(rank)
            if rank.rank is not None:
                workers[rank.rank] = rank.worker
    return taken, notes


def job_findings(
    late: Sequence[LateCause],
    plan: Sequence[JobFix],
    unmatched: Sequence[Unmatched],
    step_us: float | None,
) -> tuple[JobFinding, ...]:
    """The findings that may hang the job first, then the latest ranks."""
    return (*_different_sequences(unmatched), *_late_ranks(late, plan, step_us))


def _different_sequences(unmatched: Sequence[Unmatched]) -> Iterator[JobFinding]:
    for one in unmatched:
        if one.reason == "different_kinds":
            sentence = unmatched_sentence(one.group, one.reason, one.count)
            yield _finding(different_sequences.CODE, different_sequences.SEVERITY, sentence, None)


def _late_ranks(
    late: Sequence[LateCause], plan: Sequence[JobFix], step_us: float | None
) -> Iterator[JobFinding]:
    saved = {fix.cause: fix.estimate_us for fix in plan}
    for index, cause in enumerate(late):
        severity = late_rank.severity_of(cause.late_us, saved.get(index), step_us or 0.0)
        if severity is not None:
            yield _finding(late_rank.CODE, severity, cause.sentence, index)


def _finding(code: str, severity: Severity, sentence: str, cause: int | None) -> JobFinding:
    return JobFinding(code, rule_words(code).title, severity, sentence, cause)
