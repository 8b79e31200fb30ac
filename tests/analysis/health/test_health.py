"""What is said before the figures are trusted."""

from __future__ import annotations

from scenes import host_bound
from trace_builder import TraceBuilder


def codes(built: TraceBuilder) -> dict[str, dict[str, object]]:
    return {fact.code: dict(fact.numbers) for fact in built.report().trace.health}


def test_a_whole_trace_with_frames_has_nothing_to_say() -> None:
    built = host_bound()
    built.frame("train.py(1): main", 0, 4000)
    assert codes(built) == {}


def test_no_steps_is_said() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    assert codes(built) == {"no_steps": {}}


def test_cold_steps_are_counted() -> None:
    built = TraceBuilder()
    for number, (start, end) in enumerate([(0, 500), (500, 600), (600, 700)]):
        built.step(number, start, end)
        built.launch(start, start + 1, runs=(start + 2, end))
    assert codes(built) == {"cold_steps": {"cold": 1, "steps": 3}}


def test_no_frames_at_all_and_none_of_the_user_are_two_things() -> None:
    assert codes(host_bound()) == {"no_stacks": {}}

    built = host_bound()
    built.frame("torch/_tensor.py(1): item", 0, 4000)
    assert codes(built) == {"no_user_frames": {}}


def test_without_sites_there_is_no_source_to_miss() -> None:
    built = TraceBuilder()
    built.step(1, 0, 10)
    built.launch(0, 1, runs=(2, 3))
    assert codes(built) == {}


def test_a_blocking_call_without_its_row_is_counted() -> None:
    built = host_bound()
    built.copy("HtoD", "pageable", 500, 510, runs=None)
    built.synchronize("cudaStreamSynchronize", 511, 512)
    assert codes(built) == {"no_stacks": {}, "calls_without_record": {"calls": 1}}
