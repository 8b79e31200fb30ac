"""The parts of whole runs against a stopwatch in the program, of each framework and without one."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest
from script_runner import ScriptRunner

from tbprof.store.run_times import run_times_in
from tbprof.views.run_time_view import run_time_view

PROGRAM = Path(__file__).parent / "run_time_trainings.py"
MS = 1e-3


def trained(
    processes: ScriptRunner, kind: str, folder: Path, *, exit_code: int = 0
) -> dict[str, list[float]]:
    """A training into `folder/run`: what its stopwatch says of each part, in seconds."""
    if kind in ("lightning", "transformers") and importlib.util.find_spec(kind) is None:
        pytest.skip(f"{kind} is not installed: it is in the extra `frameworks`")
    environment = {**os.environ, "TBPROF_SPOOL": str(folder / "spool"), "HF_HUB_OFFLINE": "1"}
    ended = processes.run([PROGRAM, kind, folder / "run"], folder, environment, limit_s=240)
    assert ended.exit_code == exit_code, ended.stderr
    took: dict[str, list[float]] = json.loads(ended.stdout.splitlines()[-1])
    return took


def off(times: Any, took: dict[str, list[float]], within: float) -> dict[str, tuple[float, float]]:
    """The parts that are neither within that share of the stopwatch nor within 20 ms each time."""
    parts = {row.part: row.us * 1e-6 for row in run_time_view(times).parts}
    return {
        part: (parts.get(part, 0.0), sum(truth))
        for part, truth in took.items()
        if abs(parts.get(part, 0.0) - sum(truth)) > max(within * sum(truth), 20 * MS * len(truth))
    }


WITHIN = pytest.mark.parametrize("within", [0.4, pytest.param(0.02, marks=pytest.mark.exhaustive)])
"""Of what the stopwatch says; the full figure needs a machine that does nothing else."""


@WITHIN
@pytest.mark.parametrize("kind", ["plain", "marked", "data", "lightning", "transformers"])
def test_each_part_is_what_the_stopwatch_says(
    processes: ScriptRunner, tmp_path: Path, kind: str, within: float
) -> None:
    took = trained(processes, kind, tmp_path)
    [one] = run_times_in((tmp_path / "run",), with_reports=False).times
    assert took
    assert off((one,), took, within) == {}
    assert (one.steps, one.end) == (75, "closed")
    assert sum(part.ns for part in one.parts) == one.wall_ns


@WITHIN
def test_a_run_that_crashed_and_went_on_is_one(
    processes: ScriptRunner, tmp_path: Path, within: float
) -> None:
    before = trained(processes, "crash", tmp_path, exit_code=1)
    after = trained(processes, "resumed", tmp_path)
    times = run_times_in((tmp_path / "run",), with_reports=False).times
    assert [(one.first_step, one.steps, one.end) for one in times] == [(0, 35, "error"), (25, 50, "closed")]
    assert off(times, {part: before[part] + after[part] for part in before}, within) == {}
    [restart] = [row for row in run_time_view(times).parts if row.part == "restart"]
    # The ten steps after the checkpoint, besides what lay between the processes.
    between_us = (times[1].began_ns - times[0].began_ns - times[0].wall_ns) / 1e3
    assert restart.us == pytest.approx(between_us + 10 * (times[0].step_ns or 0) / 1e3)
