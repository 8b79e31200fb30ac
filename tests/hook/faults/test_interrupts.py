"""Ctrl-C may come while the hook is at work: it passes at once, and Python ends as ever."""

from __future__ import annotations

import random
import signal
import sys
from pathlib import Path

import pytest
from remains import look_at
from scenario import PRELUDE
from script_runner import Ended, ScriptRunner, side_by_side, wait_for_children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc")

INTERRUPTED = """
def interrupt(*_): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]))
with hook() as watching:
    train(watching, 10)
signal.setitimer(signal.ITIMER_REAL, 0)
"""


INTERRUPTED_AT_LINE = """
import torch.autograd.profiler, tbprof.hook.window.window, tbprof.hook.window.torch_profiler
OURS = tbprof.hook.window.window, tbprof.hook.window.torch_profiler
FILES = {module.__file__ for module in (torch.profiler.profiler, torch.autograd.profiler, *OURS)}
lines = 0

def count(frame, event, _):
    global lines
    if frame.f_code.co_filename not in FILES: return None
    lines += event == 'line'
    if event == 'line' and lines == int(sys.argv[2]):
        sys.settrace(None)
        raise KeyboardInterrupt
    return count

with hook(record_lines=False) as watching:
    for _ in range(6):
        step()
        sys.settrace(count)
        watching.step()
        sys.settrace(None)
print(lines)
"""
"""Ctrl-C at a line of torch's profiler, or of what drives it: Python hears of it between two of them."""


def check(processes: ScriptRunner, folder: Path, script: str, argument: float) -> Ended:
    (folder / "data").mkdir(parents=True)
    path = folder / "train.py"
    path.write_text(f"WATCHED = True\n{PRELUDE}\n{script}", encoding="utf-8")
    environment = {"TBPROF_SPOOL": str(folder / "data" / "spool")}
    ended = processes.run([path, folder / "data", argument], folder, environment)
    wait_for_children(folder)
    # It may come when all is over.
    assert ended.exit_code in (-signal.SIGINT, 0), ended.stderr
    assert "Profiling ends" not in ended.stderr
    assert look_at(folder / "data").corrupt == []
    return ended


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_an_interrupt_at_any_line_of_the_profiler_passes(
    processes: ScriptRunner, tmp_path: Path, every: int
) -> None:
    never = check(processes, tmp_path / "never", INTERRUPTED_AT_LINE, 0)
    lines = range(1, int(never.stdout), every)
    assert len(lines) > 10

    def interrupt(line: int) -> Ended:
        return check(processes, tmp_path / str(line), INTERRUPTED_AT_LINE, line)

    assert {ended.exit_code for ended in side_by_side(interrupt, lines)} == {-signal.SIGINT}


@pytest.mark.parametrize("repeats", [2, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_an_interrupt_at_any_moment_passes(processes: ScriptRunner, tmp_path: Path, repeats: int) -> None:
    rng = random.Random(20261120)
    moments = [(tmp_path / str(repeat), rng.uniform(0.005, 0.2)) for repeat in range(repeats)]
    side_by_side(lambda moment: check(processes, moment[0], INTERRUPTED, moment[1]), moments)
