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


def frame(ts: float, tid: int = 1) -> Json:
    return complete(f"train.py({tid}): f", ts, 5.0, "python_function", tid=tid)


def test_python_frames(tmp_path: Path) -> None:
    early = {"frames_backwards": {"rows": 1, "of": 3, "worst_ns": 500}}

    assert health(tmp_path, frame(120.0), frame(120.0), frame(122.0)) == {}
    assert health(tmp_path, frame(120.0), frame(119.5), frame(122.0)) == early


def test_frames_of_threads_stand_in_any_order(tmp_path: Path) -> None:
    assert health(tmp_path, frame(120.0), frame(110.0, tid=2), frame(121.0), frame(111.0, tid=2)) == {}


def test_a_file_that_is_not_in_the_order_of_time_tells_nothing_of_clocks(tmp_path: Path) -> None:
    assert health(tmp_path, *(frame(200.0 - number) for number in range(9))) == {}
