"""What the jobs among the runs of a list say first, from the reports of their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tbprof.cli.job_ranks import problem_of, read_ranks
from tbprof.executors.analyzing import Executor
from tbprof.model import Window
from tbprof.store.kept_summaries import FileIdentity, KeptSummaries, identity_of_windows
from tbprof.views.fleet_entries import FleetWindow, runs_of_ranks
from tbprof.views.job.job_first import JobFirst, first_document, first_of_document
from tbprof.views.job.rank_summary import RankSummary


def jobs_of_runs(
    windows: Sequence[FleetWindow],
    at_hand: Mapping[Window, RankSummary],
    kept: KeptSummaries | None = None,
    executor: Executor | None = None,
) -> dict[str, JobFirst]:
    """What comes first of each run whose ranks can be compared.

    Args:
        windows: By run.
        at_hand: What was read just now; other reports are read again.
        kept: What was said of the same files before; None to keep nothing.
        executor: Reads traces whose report has gone from the cache.
    """
    found: dict[str, JobFirst] = {}
    for run, rows in runs_of_ranks(windows):
        identity = None if kept is None else _identity(rows)
        document = None if kept is None or identity is None else kept.get(run, identity)
        found[run] = first_of_document(document) if document else _first(rows, at_hand, executor)
        if kept is not None and identity is not None:
            kept.keep(run, identity, first_document(found[run]))
    if kept is not None:
        kept.save(found)
    return found


def _first(
    rows: Sequence[FleetWindow], at_hand: Mapping[Window, RankSummary], executor: Executor | None
) -> JobFirst:
    # Comparing ranks takes numpy.
    from tbprof.views.job.job_first import job_first
    from tbprof.views.job.job_view import job_page

    known = [row.window for row in rows if row.summary is not None]
    problems = [problem_of(row.window, row.problem) for row in rows if row.summary is None]
    ranks = [at_hand[window] for window in known if window in at_hand]
    left = [window for window in known if window not in at_hand]
    if left:
        more, unread = read_ranks(left, executor, use_cache=True)
        ranks, problems = [*ranks, *more], [*problems, *unread]
    return job_first(job_page(ranks, problems))


def _identity(rows: Sequence[FleetWindow]) -> FileIdentity | None:
    """What the files of all ranks are now; None where one is gone."""
    try:
        return identity_of_windows(row.window for row in rows)
    except OSError:
        return None
