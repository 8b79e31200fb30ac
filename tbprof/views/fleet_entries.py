"""Windows and their summaries to the rows of all runs.

What changed since the run before: the step's length, and waits that a new commit added.

The run before is the last one of the same family: in the same folder, under a name that differs in its
numbers only, on as many GPUs. What was recorded of other programs says nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import fmean

from tbprof.file_names import rank_of, run_family
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.texts.fleet import (
    NO_COMMIT,
    NO_RUN_BEFORE,
    added_sentence,
    left_out_sentence,
    on_rank,
    read_so_far_sentence,
    unread_sentence,
)
from tbprof.texts.idle import cause_name
from tbprof.texts.series import DAMAGED_ALONE
from tbprof.views.fleet import FleetCause, FleetRow
from tbprof.views.fleet_groups import FleetEntry, grouped
from tbprof.views.fleet_summary import SummaryLine, SummaryWait, WindowSummary
from tbprof.views.job.job_first import NO_JOB, JobFirst
from tbprof.views.related import Recording, unrelated
from tbprof.views.run_ranks import rank_sentences
from tbprof.views.steady import is_credible

HOURS_PER_DAY = 24
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class FleetWindow:
    """The newest window of a worker, and what is known of it."""

    window: Window
    windows: int
    """How many the worker has."""
    first_ns: int
    """When the first of them was."""
    owner: str | None
    summary: WindowSummary | None
    problem: str
    """Why there is no summary; "" where there is one, or its trace was not read yet."""


def newest_windows(windows: Iterable[Window]) -> list[tuple[Window, int, int]]:
    """The newest window of each worker, how many it has, and when the first was.

    Of several trainings into one folder those of the last one stay: it has the same ranks again. What is
    dated before there were profilers, or ahead, counts and is the newest only where there is nothing else:
    one such file would have a GPU watched for centuries.

    Args:
        windows: By run, worker and time.
    """
    found: list[tuple[Window, int, int]] = []
    now_ns = time.time_ns()
    for _, of_run in groupby(windows, key=lambda window: window.run):
        by_rank: dict[object, tuple[Window, int, int]] = {}
        for worker, of_worker in groupby(of_run, key=lambda window: window.worker):
            rows = list(of_worker)
            dated = [row for row in rows if is_credible(row.order_ns, now_ns)] or rows[-1:]
            rank = rank_of(worker)
            key: object = worker if rank is None else rank
            known = by_rank.get(key)
            if known is None or _comes_before(known[0], dated[-1], now_ns):
                by_rank[key] = dated[-1], len(rows), dated[0].order_ns
        found += by_rank.values()
    return found


def _comes_before(one: Window, other: Window, now_ns: int) -> bool:
    times_ns = one.order_ns, other.order_ns
    first, second = ((is_credible(time_ns, now_ns), time_ns) for time_ns in times_ns)
    return first < second


def runs_of_ranks(windows: Iterable[FleetWindow]) -> Iterator[tuple[str, Sequence[FleetWindow]]]:
    """The runs whose newest windows, all of them read, may be those of the ranks of one job.

    Those that lack one for some ranks are left out: the job's own page shows an earlier window of all.
    """
    for run, of_run in groupby(windows, key=lambda one: one.window.run):
        rows = tuple(of_run)
        exchanging = [row for row in rows if row.summary is not None and _is_of_several(row.summary)]
        is_read = all(row.summary is not None or row.problem for row in rows)
        if len(exchanging) > 1 and is_read and len({row.windows for row in rows}) == 1:
            yield run, rows


def _is_of_several(summary: WindowSummary) -> bool:
    return (summary.world_size or 0) > 1 or bool(summary.communication)


def fleet_entries(
    windows: Iterable[FleetWindow],
    jobs: Mapping[str, JobFirst] | None = None,
    goodputs: Mapping[str, float] | None = None,
) -> tuple[FleetEntry, ...]:
    """One a run, or one of equal runs, in the order of their names.

    Args:
        windows: By run.
        jobs: What comes first of the runs whose ranks have been compared.
        goodputs: The share of steps in the whole time of runs.
    """
    jobs = jobs or {}
    goodputs = goodputs or {}
    of_runs = [(run, tuple(rows)) for run, rows in groupby(windows, key=lambda one: one.window.run)]
    parted = [(run, *_parted(rows)) for run, rows in of_runs]
    ranks = [(run, _of_ranks(rows), len(rows)) for run, rows, _ in parted if rows]
    changes = changes_since_before([_recorded(run, rows) for run, rows, _ in ranks])
    return grouped(
        [
            *(
                _entry(run, run, rows, changes[run], workers, jobs.get(run, NO_JOB), goodputs.get(run))
                for run, rows, workers in ranks
            ),
            *(
                _entry(run, f"{run}/{row.window.worker}", (row,), _ALONE, 1, NO_JOB, None)
                for run, _, others in parted
                for row in others
            ),
        ]
    )


def _parted(rows: Sequence[FleetWindow]) -> tuple[Sequence[FleetWindow], Sequence[FleetWindow]]:
    """The ranks of a run, and recordings that only lie in its folder; while some are unread they all stay."""
    known = {
        at: Recording(
            row.window.worker,
            _rank(row),
            row.summary.world_size,
            bool(row.summary.communication),
            row.window.order_ns,
        )
        for at, row in enumerate(rows)
        if row.summary is not None
    }
    if any(row.summary is None and not row.problem for row in rows):
        return rows, ()
    apart = unrelated(known)
    kept = [row for at, row in enumerate(rows) if at not in apart]
    return kept, [row for at, row in enumerate(rows) if at in apart]


def _of_ranks(rows: Iterable[FleetWindow]) -> tuple[FleetWindow, ...]:
    """The newest window of each rank: only what was read shows that two workers are one, or a copy of one."""
    now_ns = time.time_ns()
    newest: dict[object, FleetWindow] = {}
    for row in rows:
        rank = _rank(row)
        key: object = row.window.worker if rank is None else rank
        known = newest.get(key)
        if known is None or _comes_before(known.window, row.window, now_ns):
            newest[key] = row
    return tuple(newest.values())


def _recorded(run: str, rows: Sequence[FleetWindow]) -> Recorded:
    known = [row.summary for row in rows if row.summary is not None]
    return Recorded(
        run=run,
        at_ns=max(row.window.order_ns for row in rows),
        gpus=sum(len(summary.devices) for summary in known),
        step_us=_mean([summary.step_us for summary in known]),
        commit=next((summary.commit for summary in known if summary.commit), None),
        waits={wait.fingerprint: wait for summary in known for wait in summary.waits},
        is_known=len(known) == len(rows),
    )


def _entry(
    run: str,
    name: str,
    rows: Sequence[FleetWindow],
    change: RunChange,
    workers: int,
    job: JobFirst,
    goodput: float | None,
) -> FleetEntry:
    newest = max(rows, key=lambda row: row.window.order_ns)
    known = [(row, row.summary) for row in rows if row.summary is not None]
    summaries = [summary for _, summary in known]
    top, top_gpu_h = _top_of_job(job, known) if job.order else _top(summaries)
    opened = _opened(known, top, job) or newest
    commit = next((summary.commit for summary in summaries if summary.commit), None)
    problem = next((row.problem for row in rows if row.problem), "")
    gpus = sum(len(summary.devices) for summary in summaries)
    idle = _idle(summaries)
    row = FleetRow(
        run=run,
        name=name,
        worker=opened.window.worker,
        window=opened.window.window,
        state="ready" if known else "broken" if problem else "unread",
        problem=" ".join(_lacking(rows, workers)) if known else problem,
        owner=newest.owner,
        commit=commit,
        runs=1,
        recorded_s=newest.window.order_ns // _NS_PER_S,
        ranks=len(rows),
        windows=sum(one.windows for one in rows),
        gpus=gpus or None,
        is_judged=(idle is not None or not gpus) and not any(one.lacks_device_work for one in summaries),
        watched_s=max((_watched_s(one, summary) for one, summary in known), default=None),
        gpu_s=sum(_gpu_s(*one) for one in known) if gpus else None,
        goodput=goodput,
        step_us=_mean([summary.step_us for summary in summaries]),
        busy=_mean([summary.busy for summary in summaries]),
        communication=_mean([summary.communication for summary in summaries]),
        copying=_mean([summary.copying for summary in summaries]),
        idle=None if idle is None else sum(idle.values()),
        idle_gpu_h=None if idle is None else sum(idle.values()) * gpus * HOURS_PER_DAY,
        causes=tuple(FleetCause(cause, cause_name(cause), share) for cause, share in (idle or {}).items()),
        job=job.sentence,
        is_of_job=job.order != "",
        top_rule="" if top is None else top.rule,
        top_action="" if top is None else top.action,
        top_place="" if top is None else top.place,
        top_site=None if top is None else top.site,
        top_gpu_h=top_gpu_h if gpus else None,
        is_estimate=top is not None and top.is_estimate,
        before=change.before,
        change=change.change,
        is_alarm=change.is_alarm,
        alarm=change.alarm,
    )
    began_ns = min(one.first_ns for one in rows)
    return FleetEntry(row, _text(row, summaries), began_ns, newest.window.order_ns)


def _lacking(rows: Sequence[FleetWindow], workers: int) -> Iterator[str]:
    """What the ranks of a run with figures do not give, of so many workers."""
    if left_out := left_out_sentence(workers, len(rows)):
        yield left_out
    if broken := unread_sentence([row.problem for row in rows if row.problem]):
        yield broken
    unread = [row for row in rows if row.summary is None and not row.problem]
    if so_far := read_so_far_sentence(len(rows) - len(unread), len(rows)):
        yield so_far
    found = [(_rank(row), row.summary) for row in rows]
    ranks = {rank for rank, _ in found if rank is not None}
    if len(found) == 1 and any(summary is not None and summary.is_damaged for _, summary in found):
        yield DAMAGED_ALONE
    if len(ranks) < 2 or unread:
        # Of a trace that was not read yet nobody knows what it holds.
        return
    known = [(rank, summary) for rank, summary in found if summary is not None]
    yield from rank_sentences(
        ranks,
        {rank for rank, summary in known if rank is not None and summary.is_damaged},
        max(summary.world_size or 0 for _, summary in known),
        sum(rank is None for rank, _ in found),
    )


def _rank(row: FleetWindow) -> int | None:
    named = rank_of(row.window.worker)
    return row.summary.rank if named is None and row.summary is not None else named


def _top(summaries: Sequence[WindowSummary]) -> tuple[SummaryLine | None, float]:
    """The line that costs the run's GPUs most, over all ranks; with how many GPU-hours a day."""
    cost: defaultdict[tuple[str, str], float] = defaultdict(float)
    lines: dict[tuple[str, str], SummaryLine] = {}
    for summary in summaries:
        for line in summary.lines[:1]:
            key = line.rule, line.place
            cost[key] += line.share * len(summary.devices) * HOURS_PER_DAY
            kept = lines.get(key)
            lines[key] = line if kept is None or kept.share < line.share else kept
    if not lines:
        return None, 0.0
    key = max(lines, key=lambda key: (cost[key], lines[key].share))
    return lines[key], cost[key]


def _top_of_job(
    job: JobFirst, known: Sequence[tuple[FleetWindow, WindowSummary]]
) -> tuple[SummaryLine, float]:
    """What the late rank is to change: all of the job's GPUs wait for it."""
    lines = [line for row, one in known if row.window.worker == job.worker for line in one.lines]
    if lines and lines[0].rule == "":
        # What is not typical of the rank says nothing of its lateness.
        return lines[0], 0.0
    own = next((line for line in lines if line.rule in job.answered_by), None)
    line = SummaryLine(job.rule, job.order, job.name, job.share, job.is_estimate, site=None)
    if own is not None:
        action = on_rank(job.name, own.action)
        line = SummaryLine(own.rule, action, own.place, job.share, job.is_estimate, own.site)
    return line, job.share * sum(len(summary.devices) for _, summary in known) * HOURS_PER_DAY


def _opened(
    known: Sequence[tuple[FleetWindow, WindowSummary]], top: SummaryLine | None, job: JobFirst
) -> FleetWindow | None:
    """The window in which the top line is: that of the late rank, if there is one."""
    if job.worker:
        return next((row for row, _ in known if row.window.worker == job.worker), None)
    return next((row for row, summary in known if top is not None and top in summary.lines), None)


def _watched_s(row: FleetWindow, summary: WindowSummary) -> float:
    """A window's time is that of its end, or near it."""
    return (row.window.order_ns - row.first_ns + summary.span_ns) / _NS_PER_S


def _gpu_s(row: FleetWindow, summary: WindowSummary) -> float:
    return _watched_s(row, summary) * len(summary.devices)


def _idle(summaries: Sequence[WindowSummary]) -> dict[str, float] | None:
    """Means over the ranks that have a GPU, and one that can be judged; None without any."""
    with_gpu = [summary for summary in summaries if summary.devices and summary.busy is not None]
    if not with_gpu:
        return None
    causes = dict.fromkeys(cause for summary in with_gpu for cause in summary.idle)
    return {cause: fmean(summary.idle.get(cause, 0.0) for summary in with_gpu) for cause in causes}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _text(row: FleetRow, summaries: Sequence[WindowSummary]) -> str:
    lines = dict.fromkeys(
        f"{line.rule} {line.place} {line.action}" for summary in summaries for line in summary.lines
    )
    kernels = dict.fromkeys(name for summary in summaries for name in (*summary.kernels, *summary.devices))
    of_job = (row.job, row.top_rule, row.top_action) if row.job else ()
    parts = (row.name, row.owner or "", row.commit or "", row.alarm, *of_job, *lines, *kernels)
    return "\n".join(parts).lower()


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run as the one after it is compared with it."""

    run: str
    at_ns: int
    gpus: int
    step_us: float | None
    commit: str | None
    waits: Mapping[str, SummaryWait]
    """The waits by fingerprint."""
    is_known: bool
    """Whether all of its ranks were read: else a wait that is missing proves nothing."""


@dataclass(frozen=True, slots=True)
class RunChange:
    """See the fields of these names of `FleetRow`."""

    before: str | None
    change: float | None
    is_alarm: bool
    alarm: str


_ALONE = RunChange(None, None, False, NO_RUN_BEFORE)


def changes_since_before(runs: Sequence[Recorded]) -> dict[str, RunChange]:
    """The changes by run."""
    last: dict[tuple[str, int], Recorded] = {}
    found: dict[str, RunChange] = {}
    for run in sorted(runs, key=lambda run: (run.at_ns, run.run)):
        family = run_family(run.run), run.gpus
        found[run.run] = _change(last.get(family), run)
        last[family] = run
    return found


def _change(before: Recorded | None, run: Recorded) -> RunChange:
    alarm, is_alarm = _alarm(before, run)
    if before is None or not before.step_us or run.step_us is None:
        return RunChange(None if before is None else before.run, None, is_alarm, alarm)
    return RunChange(before.run, run.step_us / before.step_us - 1, is_alarm, alarm)


def _alarm(before: Recorded | None, run: Recorded) -> tuple[str, bool]:
    if before is None:
        return NO_RUN_BEFORE, False
    if run.commit is None or before.commit is None:
        return NO_COMMIT, False
    added = [wait for key, wait in run.waits.items() if key not in before.waits]
    if run.commit == before.commit or not added or not before.is_known:
        return "", False
    return added_sentence(added[0].rule, added[0].place, len(added) - 1, run.commit), True
