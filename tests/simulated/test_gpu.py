"""The simulation itself, against what CUDA's documents say, so that it may judge."""

from __future__ import annotations

import dataclasses
from typing import Literal

from program import (
    FEEDER,
    Action,
    Copy,
    Launch,
    Program,
    Put,
    RecordEvent,
    StreamWait,
    Synchronize,
    Take,
    Work,
)
from simulated_host import run
from simulated_run import Run

LATENCY = 8_000
CALL = 5_000


def launch(*runs_ns: int, stream: int = 7, device: int = 0) -> Launch:
    return Launch(CALL, LATENCY, runs_ns, gap_ns=1_000, stream=stream, device=device)


def copy(
    direction: Literal["HtoD", "DtoH"],
    memory: Literal["pageable", "pinned"],
    size_bytes: int = 4,
    *,
    synchronized: bool = False,
) -> Copy:
    return Copy(
        direction=direction,
        memory=memory,
        size_bytes=size_bytes,
        run_ns=20_000,
        call_ns=CALL,
        latency_ns=LATENCY,
        gap_ns=1_000,
        sync_ns=2_000,
        return_ns=3_000,
        synchronized=synchronized,
        site=1,
    )


def run_of(*actions: Action, kernels_share: bool = False, without: frozenset[int] = frozenset()) -> Run:
    return run(Program(steps=(actions,), kernels_share=kernels_share), without)


def rows(result: Run) -> list[tuple[int, int]]:
    """When each row ran, in the order in which they were given."""
    return [(task.start_ns, task.end_ns) for done in result.training for task in done.tasks]


def host_ns(result: Run) -> int:
    ((start, end),) = result.steps
    return end - start


def test_a_kernel_reaches_an_idle_device_after_its_latency_and_a_busy_one_after_the_one_before() -> None:
    result = run_of(launch(50_000), launch(10_000))
    assert rows(result) == [(8_000, 58_000), (59_000, 69_000)]
    assert (host_ns(result), result.window_ns) == (2 * CALL, 69_000)


def test_kernels_of_two_streams_take_turns_unless_they_share_the_device() -> None:
    two = launch(50_000), launch(10_000, stream=20)
    assert rows(run_of(*two)) == [(8_000, 58_000), (58_000, 68_000)]
    assert rows(run_of(*two, kernels_share=True)) == [(8_000, 58_000), (13_000, 23_000)]


def test_copies_run_beside_kernels_of_another_stream() -> None:
    on_its_own = dataclasses.replace(copy("HtoD", "pinned"), stream=24)
    result = run_of(launch(50_000), on_its_own)
    # The op takes 1.5 before the call.
    assert rows(result)[1] == (CALL + 1_500 + LATENCY, CALL + 1_500 + LATENCY + 20_000)


def test_a_stream_waits_for_what_the_other_had_when_the_event_was_recorded() -> None:
    result = run_of(
        launch(50_000),
        RecordEvent(1, 1_000),
        launch(30_000),
        StreamWait(1, 1_000, resolve_ns=1_500, stream=20),
        launch(10_000, stream=20),
        kernels_share=True,
    )
    # The event comes at 58, not at 89; the wait resolves, then the stream's usual gap.
    assert rows(result)[-1][0] == 58_000 + 1_500 + 1_000


def test_each_synchronize_waits_for_what_it_names() -> None:
    work = launch(100_000), RecordEvent(1, 1_000), launch(100_000), launch(400_000, stream=20)
    returns = {
        kind: host_ns(run_of(*work, Synchronize(kind, 2_000, 3_000, event=1), kernels_share=True))
        for kind in ("event", "stream", "device")
    }
    # The first kernel ends at 108, the second at 209, that of the other stream at 11 + 8 + 400.
    assert returns == {"event": 111_000, "stream": 212_000, "device": 422_000}


def test_a_synchronize_with_nothing_to_wait_for_costs_its_call() -> None:
    assert host_ns(run_of(Synchronize("device", 2_000, 3_000))) == 2_000


def test_which_copies_hold_the_host() -> None:
    long = launch(500_000)
    free = CALL + 3_000 + CALL
    held = LATENCY + 500_000 + 1_000 + 20_000 + 3_000 + 1_500
    assert host_ns(run_of(long, copy("DtoH", "pinned"))) == free
    assert host_ns(run_of(long, copy("DtoH", "pageable"))) == held
    assert host_ns(run_of(long, copy("HtoD", "pageable", 64 * 1024))) == free
    assert host_ns(run_of(long, copy("HtoD", "pageable", 64 * 1024 + 1))) == held
    assert host_ns(run_of(long, copy("HtoD", "pinned", 10_000_000))) == free
    assert host_ns(run_of(long, copy("HtoD", "pinned", synchronized=True))) == held


def test_a_site_left_out_costs_its_calls_and_still_copies() -> None:
    actions = launch(500_000), copy("DtoH", "pageable")
    result = run_of(*actions, without=frozenset({1}))
    assert host_ns(result) == CALL + 3_000 + CALL
    assert len(rows(result)) == 2


def test_the_1025th_launch_waits_until_the_first_has_started() -> None:
    result = run_of(launch(100_000_000), *[launch(1_000)] * 1_025)
    ends = [done.end_ns for done in result.training]
    # The first left the queue when it started; 1024 more fill it, and the next one waits for the second.
    assert ends[1_024] == 1_025 * CALL
    assert ends[1_025] == LATENCY + 100_000_000 + 1_000 + CALL


def test_a_graph_is_one_entry_and_several_rows() -> None:
    assert rows(run_of(launch(10_000, 20_000))) == [(8_000, 18_000), (19_000, 39_000)]


def test_devices_have_queues_of_their_own() -> None:
    assert rows(run_of(launch(50_000), launch(10_000, device=1)))[1] == (13_000, 23_000)


def test_a_thread_beside_the_training_runs_beside_it() -> None:
    side = (Work(4_000), launch(10_000, stream=20))
    result = run(Program(steps=((Work(50_000),),), side=side))
    assert [task.start_ns for done in result.side for task in done.tasks] == [12_000]
    assert host_ns(result) == 50_000


def test_a_training_stands_until_its_batch_is_there() -> None:
    feeder = (Work(30_000, FEEDER), Put(1), Work(30_000, FEEDER), Put(1))
    result = run(Program(steps=((Take(), Work(5_000)), (Take(), Work(50_000))), feeder=feeder))
    assert result.steps == [(0, 35_000), (35_000, 110_000)]


def test_a_thread_that_makes_batches_stands_while_nobody_takes_them() -> None:
    feeder = (Put(1), Put(1), Work(1_000, FEEDER))
    result = run(Program(steps=((Work(40_000), Take()),), feeder=feeder))
    assert result.side[-1].start_ns == 40_000


def test_the_window_begins_after_the_steps_before_it_and_holds_their_backlog() -> None:
    program = Program(steps=((launch(100_000),), (launch(10_000),)), steps_before=1)
    assert run(program).window_ns == (8_000 + 100_000 + 1_000 + 10_000) - CALL
