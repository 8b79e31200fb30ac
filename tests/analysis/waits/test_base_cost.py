"""The wait above what a call costs when there is nothing to wait for."""

from __future__ import annotations

from trace_builder import TraceBuilder

SYNC = "cudaStreamSynchronize"


def net_waits(free_calls_us: list[float]) -> list[int]:
    """Net waits of calls of these lengths on an idle device, then of a call of 100 us on a busy one."""
    built = TraceBuilder()
    for number, length in enumerate(free_calls_us):
        built.synchronize(SYNC, 1000 * number, 1000 * number + length)
    built.launch(50_000, 50_001, runs=(50_002, 50_090))
    built.synchronize(SYNC, 50_005, 50_105)
    net: list[int] = built.facts().net_wait_ns.tolist()
    return net


def test_the_base_cost_is_the_tenth_percentile_of_calls_that_waited_for_nothing() -> None:
    """Of 10, 20, 30, 40 and 50 us that is 14."""
    assert net_waits([50, 10, 40, 20, 30]) == [36_000, 0, 26_000, 6_000, 16_000, 86_000]


def test_of_fewer_than_five_such_calls_none_is_made() -> None:
    """Then a synchronize is taken to cost 5 us."""
    assert net_waits([50, 10, 40, 20]) == [45_000, 5_000, 35_000, 15_000, 95_000]


def test_a_copy_and_its_synchronize_have_a_base_cost_each() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 90))
    built.copy("HtoD", "pageable", 10, 40, runs=(91, 92))
    built.synchronize(SYNC, 50, 90)
    assert built.facts().net_wait_ns.tolist() == [70_000 - 8_000 - 5_000]


def test_a_wait_shorter_than_its_calls_cost_is_none() -> None:
    built = TraceBuilder()
    built.synchronize(SYNC, 0, 2)
    assert built.facts().net_wait_ns.tolist() == [0]


def test_calls_of_another_name_have_a_base_cost_of_their_own() -> None:
    built = TraceBuilder()
    for number in range(5):
        built.synchronize("cudaEventSynchronize", 1000 * number, 1000 * number + 50)
    built.synchronize(SYNC, 9000, 9100)
    assert built.facts().net_wait_ns.tolist() == [0, 0, 0, 0, 0, 95_000]
