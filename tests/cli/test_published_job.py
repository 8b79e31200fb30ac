"""What trackers show of a rank's window, once the other ranks have theirs."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest
from job_scenes import LATE, write_job

from tbprof.cli import published_job
from tbprof.cli.job_ranks import job_ranks
from tbprof.cli.published_job import job_of_published
from tbprof.model import Report
from tbprof.report import build_report
from tbprof.views.job.job_view import job_page

RANKS = 3


def report_of(trace: Path) -> Report:
    """The report of a rank that knows how many there are."""
    report = build_report(trace)
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, world_size=RANKS))


def test_the_job_comes_first_once_the_last_rank_has_published(tmp_path: Path) -> None:
    first, *_, last = write_job(tmp_path / "run", RANKS)
    found = job_ranks([tmp_path / "run"], number=None, executor=None, use_cache=False)
    content = last.read_bytes()
    last.unlink()
    threading.Timer(0.5, last.write_bytes, [content]).start()
    job = job_of_published(report_of(first), first)
    assert job is not None
    assert job.sentence == job_page(found.ranks).verdict
    assert (job.name, job.order) == (f"rank {LATE}", f"Make the data loader of rank {LATE} faster")


def test_a_rank_that_publishes_nothing_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_job, "PATIENCE_S", 0.1)
    first, *_, last = write_job(tmp_path / "run", RANKS)
    last.unlink()
    assert job_of_published(report_of(first), first) is None


def test_ranks_of_a_large_job_are_not_read_beside_a_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_job, "MOST_RANKS", RANKS - 1)
    first, *_ = write_job(tmp_path / "run", RANKS)
    assert job_of_published(report_of(first), first) is None
