"""Events of the host that contradict their order are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trace_samples import Json, classic, complete, health_numbers, kernel, write

from tbprof.trace.importers.kineto.reader import read_trace

WORK = [complete("cudaLaunchKernel", 100.0, 5.0, "cuda_runtime", correlation=1), kernel("a", 110.0, 5.0, 1)]


def health(folder: Path, *events: Json) -> dict[str, dict[str, Any]]:
    """Health of a file with these events beside a launch and its kernel."""
    return health_numbers(read_trace(write(folder, classic([*WORK, *events]))))


def step(number: int, ts: float) -> Json:
    return complete(f"ProfilerStep#{number}", ts, 5.0, "user_annotation")


def frame(number: int, caller: int | None, ts: float) -> Json:
    ids = {"Python id": number, "Python parent id": caller}
    return complete(f"train.py({number}): f", ts, 5.0, "python_function", **ids)


def test_steps(tmp_path: Path) -> None:
    assert health(tmp_path, step(10, 130.0), step(9, 120.0)) == {}
    assert health(tmp_path, step(9, 130.0), step(10, 120.0)) == {"steps_backwards": {"steps": 1}}


def test_python_frames(tmp_path: Path) -> None:
    outer = frame(1, None, 120.0)
    early = {"frames_before_caller": {"rows": 1, "of": 2, "worst_ns": 500}}

    assert health(tmp_path, outer, frame(2, 1, 120.0), frame(3, 1, 122.0)) == {}
    assert health(tmp_path, frame(2, 1, 119.5), outer, frame(3, 1, 122.0)) == early


def test_frames_whose_caller_is_not_known(tmp_path: Path) -> None:
    assert health(tmp_path, frame(2, 1, 119.5), frame(3, 7, 122.0)) == {}
    # Two processes in one file give the same ids: nobody can say which is meant.
    assert health(tmp_path, frame(1, None, 120.0), frame(1, None, 150.0), frame(2, 1, 130.0)) == {}
