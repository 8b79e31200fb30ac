"""A job's verdict from its traces: the same bytes from every engine, a worker that dies included."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from crashing_tasks import dies_once
from engines import ENGINES, Started, in_process
from job_scenes import write_job

from tbprof.executors.analyzing import Executor, Task
from tbprof.store.codec import decode_report
from tbprof.views.job.job_document import job_document
from tbprof.views.job.job_view import job_page
from tbprof.views.job.rank_summary import rank_summary

RANKS = 24


def job_of(executor: Executor, task: Task, traces: list[Path]) -> str:
    answers = list(executor.map(task, map(str, traces)))
    stored = [answer for answer in answers if isinstance(answer, bytes)]
    assert len(stored) == len(traces)
    reports = [decode_report(answer, name="x") for answer in stored]
    summaries = [rank_summary(report, report.trace.worker, None) for report in reports]
    return json.dumps(job_document(job_page(summaries, [])))


@pytest.mark.exhaustive
@pytest.mark.usefixtures("for_workers")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_job_of_a_run_is_the_same_whoever_reads_it(engine: Started, tmp_path: Path) -> None:
    traces = write_job(tmp_path / "run", RANKS)
    dying = functools.partial(dies_once, at=traces[RANKS // 2].name, mark=str(tmp_path / "died"))
    with engine() as executor:
        found = job_of(executor, dying, traces)
    assert (tmp_path / "died").exists()
    # Here the one that dies would be this one; it does no more.
    with in_process() as executor:
        assert found == job_of(executor, dying, traces)
