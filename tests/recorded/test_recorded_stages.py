"""Repairs of a recorded program, told by the waits that the next stage no longer has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded_stages import judge_repairs, read_stages
from scenes import host_bound
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS

RECORDED_ON_A_CPU = Path(__file__).parents[1] / "data" / "programs_on_a_cpu"
STEPS = 4


def without_the_read() -> TraceBuilder:
    """The same kernels, launched without waiting."""
    built = TraceBuilder()
    for number in range(STEPS):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 420))
        built.launch(start + 300, start + 305, runs=(start + 420, start + 510))
    return built


def write_stages(folder: Path, stages: dict[str, tuple[TraceBuilder, float]]) -> Path:
    """A recording of programs with a window each and the time of their step in ms."""
    programs: dict[str, Any] = {}
    for name, (window, step_ms) in stages.items():
        path = window.write(folder / f"{name}.pt.trace.json").name
        times = {"wall_per_step": step_ms, "host": {"iqr": 0.002}}
        windows = [{"variant": "plain", "path": path}]
        programs[name] = {"time": {"times": times}, "window": {"windows": windows}}
    (folder / "programs.json").write_text(json.dumps({"programs": programs}), encoding="utf-8")
    return folder


def test_what_the_next_stage_no_longer_waits_for_was_predicted(tmp_path: Path) -> None:
    stages = {"patch-0-before": (host_bound(STEPS), 1.0), "patch-1-read": (without_the_read(), 0.8)}
    recording = write_stages(tmp_path, stages)
    (repair,) = judge_repairs(read_stages(recording, synchronized=False))
    assert (repair.before, repair.after) == ("0-before", "1-read")
    ((direction, memory, _, ops),) = repair.removed
    assert (direction, memory, ops) == ("DtoH", "pageable", ("aten::_local_scalar_dense", "aten::item"))
    assert repair.prediction.predicted.floor_ns == 160_000
    # The wait and the rest of its op, and the line; without the profiler it would wait for longer.
    assert repair.prediction.predicted.ceiling_ns >= 328_000 + LINE_NS
    assert (repair.prediction.true_ns, repair.prediction.is_inside) == (200_000, True)


def test_a_repair_that_removes_no_wait_is_predicted_to_save_nothing(tmp_path: Path) -> None:
    stages = {"patch-3-index": (without_the_read(), 0.4), "patch-4-nll": (without_the_read(), 0.3)}
    (repair,) = judge_repairs(read_stages(write_stages(tmp_path, stages), synchronized=False))
    assert repair.removed == ()
    assert repair.prediction.predicted.ceiling_ns == 0


@pytest.mark.parametrize("letter", ["s", "z"])
def test_stages_that_end_in_a_synchronize_are_a_series_of_their_own(tmp_path: Path, letter: str) -> None:
    stages = {
        "patch-0-before": (host_bound(), 0.5),
        f"patch-0-before-synchroni{letter}ed": (host_bound(), 0.6),
    }
    recording = write_stages(tmp_path, stages)
    assert [each.step_ns for each in read_stages(recording, synchronized=True)] == [600_000]
    assert [each.step_ns for each in read_stages(recording, synchronized=False)] == [500_000]


def test_windows_of_a_cpu_say_nothing_of_savings() -> None:
    stages = read_stages(RECORDED_ON_A_CPU, synchronized=False)
    assert [each.name for each in stages] == ["0-before", "1-constant", "2-assert", "3-index"]
    assert list(judge_repairs(stages)) == []
