"""What trackers show of the window of one rank: what its job says first, once all ranks have theirs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from tbprof.cli.job_ranks import read_ranks
from tbprof.model import Report, Window
from tbprof.store.discovery import Discovery
from tbprof.store.job_windows import job_windows
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.job.job_first import JobFirst

MOST_RANKS = 64
"""The most ranks of a job that are compared beside a training."""

PATIENCE_S = 5.0
"""The time for the other ranks to publish their window; they recorded it together."""

_LOOK_AGAIN_S = 0.25


def job_of_published(report: Report, trace: Path) -> JobFirst | None:
    """What comes first of the job that a window belongs to; None where no other rank can be compared.

    Args:
        report: Of the window.
        trace: Its file, in the folder of the run.
    """
    world = report.trace.world_size or 1
    if not 1 < world <= MOST_RANKS:
        return None
    discovery, ends_at = Discovery(trace.parent, looks_like_trace), time.monotonic() + PATIENCE_S
    while len(windows := _together(discovery, trace)) < world:
        if time.monotonic() > ends_at:
            return None
        time.sleep(_LOOK_AGAIN_S)
    from tbprof.views.job.job_first import job_first
    from tbprof.views.job.job_view import job_page

    ranks, problems = read_ranks(windows, None, use_cache=True)
    return job_first(job_page(ranks, problems))


def _together(discovery: Discovery, trace: Path) -> Sequence[Window]:
    """The windows of all ranks that belong to this one, as far as they are there."""
    in_run = [window for window in discovery.find().windows if window.run == "."]
    own = next((window for window in in_run if window.trace_path == str(trace)), None)
    if own is None:
        return ()
    of_worker = [window for window in in_run if window.worker == own.worker]
    return job_windows(in_run, of_worker.index(own) + 1).windows
