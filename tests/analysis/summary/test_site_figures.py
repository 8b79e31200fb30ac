"""A site's figures, of the window and of each step."""

from __future__ import annotations

from trace_builder import TraceBuilder


def test_counts_and_waits_of_each_step_are_those_of_the_calls_in_it() -> None:
    built = TraceBuilder()
    for number, waits in enumerate(((10,), (20, 30), ())):
        start = 1000 * number
        built.step(number, start, start + 1000)
        for at, wait in enumerate(waits):
            built.synchronize("cudaStreamSynchronize", start + 100 * at, start + 100 * at + wait)
    built.synchronize("cudaStreamSynchronize", 3100, 3140)
    built.op("aten::mm", 3200, 3210)
    (site,) = built.report().sites
    assert (site.count, site.per_step) == (4, (1, 2, 0))
    assert (site.wait_ns, site.wait_per_step_ns) == (100_000, (10_000, 50_000, 0))
