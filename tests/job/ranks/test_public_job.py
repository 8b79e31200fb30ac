"""The eight ranks of a public trace, held against figures that were derived without tbprof."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from public_report import PublicReport
from rank_records import Collective, rank_record

from tbprof.job.arrivals import NOBODY
from tbprof.job.rank_record import Message
from tbprof.job.what_if_times import analyze_ranks
from tbprof.views.job.job_view import job_page
from tbprof.views.job.rank_summary import rank_summary

Kernel = tuple[str, float, float]


def kernels_of(path: Path) -> list[Kernel]:
    """The NCCL kernels of a rank: name, start and duration in us, in their order."""
    document = json.loads(gzip.decompress(path.read_bytes()))
    events = document if isinstance(document, list) else document["traceEvents"]
    found = [
        (event["name"], event["ts"], event["dur"])
        for event in events
        if event.get("cat") == "kernel" and "nccl" in event["name"].lower()
    ]
    return sorted(found, key=lambda kernel: kernel[1])


@pytest.fixture(scope="module")
def ranks(traces: Path) -> list[list[Kernel]]:
    return [kernels_of(path) for path in sorted((traces / "dlrm_v100_8rank").glob("worker*.json.gz"))]


def test_the_reports_of_its_ranks_say_the_same(traces: Path, public_report: PublicReport) -> None:
    """Rank 7 began its only step last, by what the ends of the collectives tell of the clocks: before that
    nothing was recorded, and what it did in the step is what the others did.
    """
    paths = sorted((traces / "dlrm_v100_8rank").glob("worker*.json.gz"))
    page = job_page([rank_summary(public_report(path), path.name, None) for path in paths])
    assert (page.matched, page.unmatched, page.missing) == (8, 0, ())
    assert page.waiting_share == pytest.approx(0.964, abs=0.002)
    assert [rank.latest_in for rank in page.ranks] == [0, 0, 0, 0, 1, 2, 0, 5]
    begins = [strip.begin_us for strip in page.strips]
    assert max(range(8), key=lambda rank: begins[rank]) == 7
    cause = page.late[0]
    assert (cause.rank, cause.cause) == (7, "unexplained")
    assert cause.due_us == pytest.approx(cause.late_us, rel=0.1)
    # From one step that begins unevenly no replay can tell what the next would take.
    assert page.what_if is None


def waits_by_hand(ranks: list[list[Kernel]]) -> tuple[float, list[int]]:
    """Share of the communication that is waiting, and which rank was the last in each collective."""
    waited = total = 0.0
    last = []
    for kernels in zip(*ranks, strict=True):
        durations = [duration for _, _, duration in kernels]
        total += sum(durations)
        waited += sum(durations) - len(durations) * min(durations)
        last.append(durations.index(min(durations)))
    return waited / total, last


def test_nearly_all_communication_of_the_public_job_is_waiting(ranks: list[list[Kernel]]) -> None:
    share, last = waits_by_hand(ranks)
    assert share == pytest.approx(0.964, abs=0.002)
    assert last.count(7) == 5

    records = [
        rank_record(
            rank,
            [
                Collective(round(start * 1000), round(duration * 1000), message=Message(name))
                for name, start, duration in kernels
            ],
        )
        for rank, kernels in enumerate(ranks)
    ]
    analysis = analyze_ranks(records)
    (arrivals,) = analysis.arrivals
    assert (analysis.matching.matched_count, analysis.matching.unmatched) == (8, ())
    assert arrivals.wait_ns.sum() / (arrivals.wait_ns + arrivals.transfer_ns).sum() == pytest.approx(
        share, abs=1e-6
    )
    assert [rank for rank in arrivals.late.tolist() if rank != NOBODY].count(7) == 5
