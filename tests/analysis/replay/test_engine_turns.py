"""When kernels of two streams take turns in the replay, and when they run at once.

All times are in us. The second kernel is launched when the host returns from its wait for the first.
"""

from __future__ import annotations

import numpy as np
import pytest
from trace_builder import TraceBuilder

SYNC = "cudaStreamSynchronize"
AT_ONCE, IN_TURN = 480_000, 20_000


def two_streams(name: str = "kernel") -> TraceBuilder:
    """The host waits for a kernel before it launches one to another stream."""
    built = TraceBuilder()
    built.step(1, 0, 600)
    built.launch(0, 5, runs=(10, 500), name=name)
    built.synchronize(SYNC, 20, 505)
    built.launch(510, 515, runs=(520, 1000), stream=20)
    return built


def queue_behind(built: TraceBuilder, *, from_us: float, gap: float = 0) -> None:
    """Two kernels of two streams, both launched at once, that run one after the other."""
    built.step(2, 1100, 2000)
    built.launch(from_us, from_us + 5, runs=(from_us + 10, from_us + 110))
    later = from_us + 110 + gap
    built.launch(from_us + 5, from_us + 10, runs=(later, later + 100), stream=20)


def won_ns(built: TraceBuilder) -> int:
    facts = built.facts()
    assert facts.replay.error == 0
    return facts.replay.saving_ns(np.arange(len(facts.episodes.first)))


def test_streams_that_a_waiting_host_kept_apart_run_at_once() -> None:
    assert won_ns(two_streams()) == AT_ONCE


def test_kernels_that_were_both_queued_and_still_ran_in_turn_do_so_again() -> None:
    built = two_streams()
    queue_behind(built, from_us=1200)
    facts = built.facts()
    schedule = facts.replay.schedule
    assert [len(awaited) for awaited in schedule.awaited] == [0, 1, 1, 2]


def test_a_kernel_that_waited_for_the_other_stream_is_no_evidence() -> None:
    built = two_streams()
    built.step(2, 1100, 2000)
    built.launch(1200, 1205, runs=(1210, 1310))
    record = built.record_event(1205, 1206)
    built.stream_wait(1206, 1207, stream=20, awaited=7, record=record)
    built.launch(1207, 1212, runs=(1312, 1400), stream=20)
    schedule = built.facts().replay.schedule
    assert schedule.awaited[1] == ()


@pytest.mark.parametrize(
    "name",
    [
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
    ],
)
def test_communication_runs_beside_computing(name: str) -> None:
    built = two_streams(name)
    queue_behind(built, from_us=1200)
    assert built.facts().replay.schedule.awaited[1] == ()


@pytest.mark.parametrize(("blocks", "turns"), [(0.5, 0), (1.0, 1)])
def test_a_kernel_with_too_few_blocks_leaves_room_for_others(blocks: float, turns: int) -> None:
    built = two_streams()
    queue_behind(built, from_us=1200)
    for event in built.events:
        if event["name"] == "kernel":
            event["args"]["blocks per SM"] = blocks
    assert len(built.facts().replay.schedule.awaited[1]) == turns
