"""How long copies take on the device, and how much of it computing hides."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.site_figures import copy_totals


def two_uploads() -> Facts:
    """One of 100 us of which a kernel hides 50, and one of 20 us that nothing hides."""
    trace = TraceBuilder()
    trace.step(0, 0, 1000)
    trace.launch(10, 15, runs=(100, 200))
    trace.copy("HtoD", "pinned", 20, 25, runs=(150, 250), size_bytes=100_000, stream=20)
    trace.copy("HtoD", "pinned", 30, 35, runs=(300, 320), size_bytes=40_000, stream=20)
    return trace.facts()


def test_what_a_kernel_covers_is_hidden() -> None:
    transfers = two_uploads().transfers
    assert sorted(transfers.device_ns.tolist()) == [20_000, 100_000]
    assert sorted(transfers.exposed_ns.tolist()) == [20_000, 50_000]


def test_a_kind_has_its_time_and_its_fastest_copy() -> None:
    facts = two_uploads()
    [kind] = copy_totals(facts.episodes, facts.transfers)
    assert (kind.device_ns, kind.exposed_ns, kind.wait_ns) == (120_000, 70_000, 0)
    # 40 kB in 20 us.
    assert kind.best_bytes_per_s == 2_000_000_000


def test_a_recorded_speed_is_taken_before_one_by_rounded_times() -> None:
    trace = TraceBuilder("2022")
    trace.step(0, 0, 1000)
    trace.copy("HtoD", "pinned", 20, 25, runs=(150, 152), size_bytes=13_696, gb_per_s=4.703125)
    trace.copy("HtoD", "pinned", 30, 35, runs=(160, 170), size_bytes=20_000)
    facts = trace.facts()
    [kind] = copy_totals(facts.episodes, facts.transfers)
    # Not the 6.8 GB/s of its 2 us.
    assert kind.best_bytes_per_s == 4_703_125_000


def test_a_wait_without_a_copy_takes_no_time_on_the_device() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 1000)
    trace.launch(10, 15, runs=(20, 400))
    trace.synchronize("cudaStreamSynchronize", 30, 405)
    facts = trace.facts()
    assert facts.transfers.device_ns.tolist() == [0]
    assert copy_totals(facts.episodes, facts.transfers) == ()
