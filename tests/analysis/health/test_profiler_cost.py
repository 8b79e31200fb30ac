"""How much the profiler itself slowed down what it recorded."""

from __future__ import annotations

from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.analysis.figures.health import FRAME_NS, find_profiler_cost, records_frames


def test_frames_of_the_training_in_its_steps_count() -> None:
    built = TraceBuilder()
    built.step(1, 100, 200)
    built.frame("train.py(1): before", 10, 20)
    built.frame("train.py(2): step", 110, 190)
    built.frame("train.py(3): loss", 120, 130)
    built.frame("writer.py(4): write", 120, 130, thread=SIDE)
    built.launch(150, 151, runs=(152, 160))
    cost = find_profiler_cost(built.facts())
    assert cost.frames_share == 2 * FRAME_NS / 100_000
    assert (cost.overhead_share, cost.measured, cost.inflation) == (0.0, False, 0.0)


def test_a_trace_with_a_frame_records_them() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    assert not records_frames(built.facts())
    built.frame("train.py(2): step", 10, 20)
    assert records_frames(built.facts())
