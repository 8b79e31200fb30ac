"""How long the device stays dry after a wait."""

from __future__ import annotations

from scenes import gpu_bound, host_bound, nearly_gpu_bound
from trace_builder import TraceBuilder

SYNC = "cudaStreamSynchronize"


def test_it_lasts_from_the_return_to_the_launch_of_new_work_less_one_latency() -> None:
    assert host_bound(steps=3).facts().starve_ns.tolist() == [160_000] * 3
    assert nearly_gpu_bound(steps=2).facts().starve_ns.tolist() == [5_000] * 2


def test_a_device_that_goes_on_working_is_not_starved() -> None:
    assert set(gpu_bound().facts().starve_ns.tolist()) == {0}


def test_work_launched_before_the_return_does_not_show_the_host_back() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(6, 300))
    built.launch(2, 3, runs=(350, 360), stream=20)
    built.synchronize(SYNC, 10, 300)
    built.launch(600, 601, runs=(606, 1000))
    # Queued until 350, busy until 360, empty until 601; a launch onto an idle device takes 6.
    assert built.facts().starve_ns.tolist() == [241_000 - 6_000]


def test_slow_host_work_after_a_short_wait_is_not_blamed_on_it() -> None:
    """Never more than the explained part of the wait."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(6, 30))
    built.synchronize(SYNC, 27, 31)
    built.launch(900, 901, runs=(906, 1000))
    assert built.facts().starve_ns.tolist() == [3_000]


def test_with_no_launch_after_it_nothing_is_known_to_be_lost() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(6, 300))
    built.synchronize(SYNC, 10, 301)
    assert built.facts().starve_ns.tolist() == [0]


def test_dry_time_outside_the_steps_counts_nowhere() -> None:
    built = TraceBuilder()
    built.step(1, 0, 310)
    built.step(2, 500, 1000)
    built.launch(0, 1, runs=(6, 300))
    built.synchronize(SYNC, 10, 300)
    built.launch(520, 521, runs=(526, 1000))
    # Dry within the steps: 300-310 and 500-521.
    assert built.facts().starve_ns.tolist() == [31_000 - 6_000]


def test_where_no_launch_met_an_idle_device_its_latency_is_taken_as_5() -> None:
    built = TraceBuilder()
    built.step(1, 10, 1000)
    built.kernel(10, 300, correlation=1)
    built.synchronize(SYNC, 20, 300)
    built.kernel(320, 340, correlation=2)
    built.launch(330, 331, runs=(345, 1000))
    assert built.facts().starve_ns.tolist() == [20_000 - 5_000]
