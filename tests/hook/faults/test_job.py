"""Ranks that train together on the CPU: who is late, and the line that makes it late."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from script_runner import Ended, ScriptRunner, wait_for_children

from tbprof.store.discovery import Discovery
from tbprof.store.windows import stored_report
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.job.job_page import JobPage
from tbprof.views.job.job_view import job_page
from tbprof.views.job.rank_summary import rank_summary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

TRAINING = """
import os, sys, time
import torch, tbprof
import torch.distributed as distributed
from torch.nn.parallel import DistributedDataParallel

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
logdir, late, meeting = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def read_from_a_slow_disk():
    time.sleep(0.04)

distributed.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=ranks)
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Linear(32, 4)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = tbprof.Schedule(skip_first=1, warmup=1, active=4, repeat=1)
with tbprof.TrainerHook(logdir, schedule=schedule, worker="w", with_stack=True) as hook:
    for steps in range(8):
        if rank == late:
            read_from_a_slow_disk()
        model(torch.ones(16, 32)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        hook.step()
    hook.close(wait_s=60)
distributed.barrier()
# A group of gloo's that is taken down while another rank still uses it can hang.
os._exit(0)
"""

ATTEMPTS = 3
LINE = TRAINING.splitlines().index("def read_from_a_slow_disk():") + 1


def train(processes: ScriptRunner, folder: Path, ranks: int, late: int) -> JobPage:
    """The page of the job, from the reports that the hook published."""
    folder.mkdir()
    script, logs = folder / "train.py", folder / "logs"
    script.write_text(TRAINING, encoding="utf-8")

    def run(rank: int) -> Ended:
        own = folder / str(rank)
        own.mkdir()
        environment = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "TBPROF_SPOOL": str(folder / "spool")}
        return processes.run([script, logs, late, folder / "meeting"], own, environment)

    with ThreadPoolExecutor(ranks) as pool:
        ended = list(pool.map(run, range(ranks)))
    wait_for_children(folder)
    assert [each.exit_code for each in ended] == [0] * ranks, ended
    reports = [stored_report(window) for window in Discovery(logs, looks_like_trace).find().windows]
    return job_page([rank_summary(report, "", None) for report in reports if report is not None])


def replayed(processes: ScriptRunner, folder: Path, ranks: int, late: int) -> JobPage:
    """The same, recorded once more where other work on the machine kept a replay from fitting."""
    pages = (train(processes, folder / str(attempt), ranks, late) for attempt in range(ATTEMPTS - 1))
    found = next((page for page in pages if page.what_if is not None), None)
    return found or train(processes, folder / "last", ranks, late)


def check(page: JobPage, ranks: int, late: int) -> None:
    assert ([rank.rank for rank in page.ranks], page.missing, page.on) == ([*range(ranks)], (), "host")
    assert page.unmatched == 0
    assert f"for rank {late}, which is late by" in page.verdict
    assert f"read_from_a_slow_disk at train.py:{LINE}" in page.verdict
    worst = page.late[0]
    assert worst.source is not None
    assert (worst.rank, worst.source.line, len(worst.steps)) == (late, LINE, len(page.steps))
    assert worst.late_us > 30_000
    assert page.plan[0].cause == 0
    assert page.plan[0].floor_us > 0


def test_the_line_that_makes_a_rank_late_is_named(processes: ScriptRunner, tmp_path: Path) -> None:
    check(replayed(processes, tmp_path, ranks=2, late=1), ranks=2, late=1)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("ranks", "late"), [(2, 0), (4, 2)])
def test_and_so_whichever_it_is(processes: ScriptRunner, tmp_path: Path, ranks: int, late: int) -> None:
    check(replayed(processes, tmp_path, ranks, late), ranks, late)
