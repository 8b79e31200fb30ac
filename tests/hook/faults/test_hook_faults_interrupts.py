"""Ctrl-C may come while the hook is at work: it passes at once, and Python ends as ever."""

from __future__ import annotations

import random
import signal
import sys
from pathlib import Path

import pytest
from nursery import Nursery, side_by_side, wait_for_children
from remains import look_at
from scenario import PRELUDE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc")

INTERRUPTED = """
def interrupt(*_): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]))
with hook() as watching:
    train(watching, 10)
signal.setitimer(signal.ITIMER_REAL, 0)
"""


def check(processes: Nursery, folder: Path, delay_s: float) -> None:
    (folder / "data").mkdir(parents=True)
    script = folder / "train.py"
    script.write_text(f"WATCHED = True\n{PRELUDE}\n{INTERRUPTED}", encoding="utf-8")
    environment = {"TBPROF_SPOOL": str(folder / "data" / "spool")}
    ended = processes.run([script, folder / "data", delay_s], folder, environment)
    wait_for_children(folder)
    # It may come when all is over.
    assert ended.exit_code in (-signal.SIGINT, 0), ended.stderr
    assert "Profiling ends" not in ended.stderr
    assert look_at(folder / "data").corrupt == []


@pytest.mark.parametrize("repeats", [2, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_an_interrupt_at_any_moment_passes(processes: Nursery, tmp_path: Path, repeats: int) -> None:
    rng = random.Random(20261120)
    moments = [(tmp_path / str(repeat), rng.uniform(0.005, 0.2)) for repeat in range(repeats)]
    side_by_side(lambda moment: check(processes, *moment), moments)
