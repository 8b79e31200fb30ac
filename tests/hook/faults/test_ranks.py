"""Two ranks that train together: each has its windows, and what happens to one is its own."""

from __future__ import annotations

import gzip
import json
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from remains import look_at
from script_runner import Ended, ScriptRunner, wait_for_children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

TRAINING = """
import os, signal, sys
import torch, tbprof
import torch.distributed as distributed

rank, logdir, dies = int(os.environ["RANK"]), sys.argv[1], sys.argv[2] == "dies"
distributed.init_process_group("gloo", init_method="file://" + sys.argv[3], rank=rank, world_size=2)
schedule = tbprof.Schedule(skip_first=1, warmup=1, active=2, repeat=2)
weights = torch.zeros(8)
with tbprof.TrainerHook(logdir, schedule=schedule, worker="w") as hook:
    for steps in range(12):
        weights += torch.ones(8) * rank
        if dies and rank == 1 and steps == 7:
            # The second window is being recorded.
            hook._run._session.publisher.wait(60)
            os.kill(os.getpid(), signal.SIGKILL)
        if not dies or steps < 7:
            distributed.all_reduce(weights)
        hook.step()
    hook.close(wait_s=60)
print(weights.tolist())
os._exit(0)
"""


def train(processes: ScriptRunner, folder: Path, how: str) -> list[int | None]:
    """Run both ranks; their exit codes."""
    script = folder / "train.py"
    script.write_text(TRAINING, encoding="utf-8")
    arguments = [script, folder / "watched" / "logs", how, folder / "meeting"]

    def run(rank: int) -> Ended:
        own = folder / str(rank)
        own.mkdir()
        spool = str(folder / "watched" / "spool")
        return processes.run(arguments, own, {"RANK": str(rank), "WORLD_SIZE": "2", "TBPROF_SPOOL": spool})

    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(run, range(2)))
    wait_for_children(folder)
    return [each.exit_code for each in ended]


def windows(folder: Path) -> list[tuple[int, int, int]]:
    """Rank, first step and all-reduces of each published window."""
    return sorted(_window(path) for path in (folder / "watched" / "logs").glob("*.trace.json.gz"))


def _window(path: Path) -> tuple[int, int, int]:
    trace: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    collectives = [event for event in trace["traceEvents"] if event.get("name") == "gloo:all_reduce"]
    return trace["tbprof"]["rank"], trace["tbprof"]["first_step"], len(collectives)


@pytest.mark.exhaustive
def test_both_ranks_publish_the_same_steps_and_no_collective_of_ours(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    assert train(processes, tmp_path, "lives") == [0, 0]
    # Two recorded steps with one all-reduce each.
    assert windows(tmp_path) == [(0, 2, 2), (0, 6, 2), (1, 2, 2), (1, 6, 2)]
    assert look_at(tmp_path / "watched").corrupt == []


def test_a_rank_that_is_killed_takes_no_result_of_the_other_along(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    assert train(processes, tmp_path, "dies") == [0, -signal.SIGKILL]
    # Two recorded steps with one all-reduce each, and none of ours; in the second window rank 0 is alone.
    assert windows(tmp_path) == [(0, 2, 2), (0, 6, 1), (1, 2, 2)]
    assert look_at(tmp_path / "watched").corrupt == []
