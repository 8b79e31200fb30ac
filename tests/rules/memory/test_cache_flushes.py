"""Steps in which the allocator gives its memory back and asks for it again."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.intervals import total_ns
from tbprof.rules.memory.cache_flushes import find_cache_flushes


def test_calls_of_other_steps_are_left_out() -> None:
    """The second of three steps empties the cache; the third allocates alone."""
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
    built.launch(0, 1, runs=(1, 1000))
    for name, start in (("cudaFree", 1100), ("cudaFree", 1200), ("cudaMalloc", 1300), ("cudaMalloc", 2100)):
        built.call(name, start, start + 50)
    built.launch(2900, 2901, runs=(2901, 3000))
    flushes = find_cache_flushes(built.facts())
    assert (len(flushes.frames), len(flushes.frees), len(flushes.mallocs)) == (0, 2, 1)
    assert total_ns(flushes.idle) == 3 * 50_000


def test_frees_of_other_things_are_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for name in ("cudaFreeHost", "cudaFreeAsync", "cudaMallocHost"):
        built.call(name, 100, 110)
        built.call(name, 200, 210)
    flushes = find_cache_flushes(built.facts())
    assert (len(flushes.frees), len(flushes.mallocs)) == (0, 0)
