"""Memory steps at steps of their own: which they are, and that no window holds one."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tbprof import Schedule
from tbprof.store.memory_files import MEMORY_STEP_FILE

TRAINING = """
import sys, torch, tbprof
from tbprof import Schedule

for name, memory in (("at", Schedule.at(1, 6, 20, active=2, warmup=0)), ("off", False)):
    torch.manual_seed(0)
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses = []
    windows = Schedule(skip_first=4, warmup=1, active=3)
    with tbprof.TrainerHook(f"{sys.argv[1]}/{name}", worker="w", schedule=windows, memory=memory) as hook:
        for _ in range(30):
            loss = model(torch.randn(4, 8)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            hook.step()
        hook.close(wait_s=60)
    print(losses)
"""


def steps_in(folder: Path) -> list[int]:
    return sorted(MEMORY_STEP_FILE.read(path).step for path in folder.glob("*.memory_step.json"))


@pytest.mark.exhaustive
def test_scheduled_steps_are_followed_and_those_in_a_window_come_behind_it(tmp_path: Path) -> None:
    """In a process of its own: what others hold is followed as well."""
    program = tmp_path / "train.py"
    program.write_text(TRAINING, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, str(program), str(tmp_path)],
        check=True,
        env={**os.environ, "TBPROF_SPOOL": str(tmp_path / "spool")},
        capture_output=True,
        text=True,
    )
    followed = steps_in(tmp_path / "at")
    assert (followed[:2], followed[-2:]) == ([1, 2], [20, 21])
    # Steps 6 and 7 are in the window: one follows, when the steps behind it have been timed.
    (late,) = followed[2:-2]
    assert 8 < late < 20
    assert steps_in(tmp_path / "off") == []
    (trace,) = (tmp_path / "at").glob("*.trace.json.gz")
    facts = json.loads(gzip.decompress(trace.read_bytes()))["tbprof"]
    assert (facts["first_step"], facts["after_step_ns"] is None) == (5, False)
    with_memory, without = ended.stdout.splitlines()
    assert with_memory == without


@pytest.mark.parametrize(
    ("schedule", "origin", "steps"),
    [
        (Schedule(), 0, [13, 14, 15, 16, 17]),
        (Schedule(), 100, [113, 114, 115, 116, 117]),
        (Schedule(skip_first=0, wait=0, warmup=0, active=1, repeat=3), 0, [0, 2, 4]),
        (Schedule.every(10, skip_first=2, warmup=0, active=2), 0, [10, 11, 20, 21, 30, 31, 40, 41]),
        (Schedule.every(10, skip_first=2, warmup=0, active=2), 25, [30, 31, 40, 41]),
        (Schedule.at(3, 40, warmup=0, active=1), 0, [3, 40]),
    ],
)
def test_the_steps_of_a_schedule_one_after_the_other(
    schedule: Schedule, origin: int, steps: list[int]
) -> None:
    found, step = [], schedule.next_recorded(0, origin)
    while step is not None and step < max(50, origin + 20):
        found.append(step)
        step = schedule.next_recorded(step + 1, origin)
    assert found == steps
