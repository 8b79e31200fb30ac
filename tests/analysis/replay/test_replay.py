"""What a window gets shorter by without its waits, on traces whose answer is known to the ns.

All times are in us. A launch takes 5 and reaches an idle device 10 after its start; kernels that
are queued follow each other at once.
"""

from __future__ import annotations

import numpy as np
from scenes import SIDE, host_bound
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.model import Saving

SYNC = "cudaStreamSynchronize"
EVENT = "cudaEventSynchronize"
DEVICE = "cudaDeviceSynchronize"


def won_ns(built: TraceBuilder, *episodes: int) -> int:
    """What the replay wins without these episodes, by their order in time; all without any named."""
    facts = built.facts()
    by_time = np.argsort(facts.episodes.start_ns)
    assert facts.replay.error == 0
    return facts.replay.saving_ns(by_time[list(episodes)] if episodes else by_time)


def total(built: TraceBuilder) -> Saving:
    facts: Facts = built.facts()
    return saving_of(facts, np.flatnonzero(facts.can_be_won), "defer")


def test_without_any_wait_removed_a_window_stays_as_it_was() -> None:
    replay = host_bound().facts().replay
    assert (replay.error, replay.saving_ns(np.empty(0, np.int64))) == (0, 0)


def test_a_host_bound_step_wins_its_drain_and_nothing_else() -> None:
    # From the copy's call at 110 to the return at 435, less 8 and 5 that the two calls take anyhow.
    assert won_ns(host_bound(steps=4)) == 4 * (325 - 13) * 1000


def test_a_device_that_never_runs_dry_wins_nothing() -> None:
    built = TraceBuilder()
    for number in range(4):
        start = 1000 * number
        built.step(number, start, start + 1000)
        for kernel in range(10):
            at = start + 10 + 100 * kernel
            # The host is half a step ahead of the device.
            built.launch(start + 5 * kernel, start + 5 * kernel + 5, runs=(at + 500, at + 600))
        built.synchronize(EVENT, start + 50, start + 412, awaited=7)
        built.synchronize(EVENT, start + 420, start + 812, awaited=7)
    assert won_ns(built) == 0
    saving = total(built)
    assert (saving.floor_ns, saving.estimate_ns) == (0, 0)


def masked() -> TraceBuilder:
    """Two waits for one kernel, one right after the other, and then much work of the host."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 495))
    built.synchronize(SYNC, 100, 500)
    built.synchronize(SYNC, 501, 503)
    built.launch(900, 905, runs=(910, 950))
    return built


def test_a_wait_that_another_one_hides_wins_little_until_that_is_gone_as_well() -> None:
    built = masked()
    # Without the first the second waits for the kernel, and returns 5 after its end at 495.
    assert won_ns(built, 0) == 3_000
    assert won_ns(built, 1) == 0
    # 100 + 5 for the first call, 1 of the host, 2 for the second: back at 108 instead of 503.
    assert won_ns(built, 0, 1) == 395_000


def test_what_nothing_recorded_explains_is_not_promised() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 50))
    built.synchronize(SYNC, 100, 600)
    built.launch(610, 615, runs=(620, 700))
    assert won_ns(built) == 0
    assert total(built).ceiling_ns == 500_000


def many_launches(count: int, nodes: int) -> TraceBuilder:
    """A short wait, and then graphs of 100 us each as fast as the host can launch them."""
    built = TraceBuilder()
    built.step(1, 0, 300_000)
    built.launch(0, 5, runs=(10, 295))
    built.synchronize(SYNC, 5, 300)
    starts = [310 + 100 * number for number in range(count)]
    host: float = 300
    for number, start in enumerate(starts):
        # 1024 launches wait to be started; the next returns when the oldest has.
        room = starts[number - 1024] if number >= 1024 else 0
        returned = max(host + 5, room + 5)
        length = 100 // nodes
        runs = [(start + length * node, start + length * (node + 1)) for node in range(nodes)]
        built.graph_launch(host, returned, runs=runs)
        host = returned
    return built


def test_a_host_that_runs_ahead_is_held_by_the_full_queue() -> None:
    # The host comes back 290 earlier, the device goes on only 15 earlier, and then holds the host.
    assert won_ns(many_launches(1_200, nodes=1)) == 15_000


def test_what_the_host_no_longer_waits_for_it_waits_for_in_the_full_queue() -> None:
    facts = many_launches(1_200, nodes=1).facts()
    # It comes to each launch 290 earlier, and where the queue is full returns 15 earlier at most.
    assert facts.replay.queue_wait_ns(np.array([0])) == 275_000
    assert many_launches(1_000, nodes=1).facts().replay.queue_wait_ns(np.array([0])) == 0


def test_a_graph_takes_one_place_in_the_queue_however_many_nodes_it_has() -> None:
    assert won_ns(many_launches(1_000, nodes=2)) == 290_000
    assert won_ns(many_launches(1_200, nodes=2)) == 15_000


def test_the_autograd_thread_holds_up_the_thread_that_handed_over() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("autograd::engine::evaluate_function: MmBackward0", 15, 520, thread=SIDE)
    built.launch(0, 5, runs=(10, 500))
    built.synchronize(SYNC, 20, 510, thread=SIDE)
    built.launch(530, 535, runs=(540, 545), thread=MAIN)
    assert won_ns(built) == (490 - 5) * 1000


def test_a_thread_beside_the_training_wins_nothing() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 100))
    built.launch(20, 25, runs=(30, 500), stream=20, thread=SIDE)
    built.synchronize(SYNC, 30, 510, thread=SIDE)
    built.launch(600, 605, runs=(610, 650))
    assert won_ns(built) == 0
    assert total(built) == Saving(floor_ns=0, estimate_ns=0, ceiling_ns=0)


def test_what_runs_beside_the_training_keeps_its_times() -> None:
    """The second wait finds what the thread had launched by the time at which it now comes."""
    built = TraceBuilder()
    built.step(1, 0, 1200)
    built.launch(0, 5, runs=(10, 400))
    built.launch(100, 105, runs=(110, 250), stream=20, thread=SIDE)
    built.launch(420, 425, runs=(430, 900), stream=20, thread=SIDE)
    built.synchronize(SYNC, 10, 405, awaited=7)
    built.synchronize(DEVICE, 500, 905)
    built.launch(1100, 1105, runs=(1110, 1120))
    # The second one comes at 110, when the thread has launched once: it waits for the kernel alone.
    assert won_ns(built, 0) == (905 - 405) * 1000


def test_a_stream_wait_that_held_up_nothing_does_when_the_host_comes_earlier() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 500))
    # Other streams run beside it, and were launched to since; the names say what was awaited.
    built.launch(5, 8, runs=(15, 25), stream=20)
    built.launch(8, 10, runs=(18, 22), stream=24)
    record = built.record_event(10, 11)
    built.synchronize(SYNC, 20, 505, awaited=7)
    built.stream_wait(507, 508, stream=20, awaited=7, record=record)
    built.launch(510, 515, runs=(520, 980), stream=20)
    built.launch(515, 520, runs=(980, 1400), stream=20)
    # Launched at 30, but not before the end at 500, which leaves 20 of the 1400 to win.
    assert won_ns(built) == 20_000


def test_a_stream_wait_without_names_is_told_by_the_launches_around_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 20), stream=20)
    built.launch(5, 10, runs=(15, 500))
    built.record_event(10, 11)
    built.synchronize(SYNC, 20, 505)
    built.call("cudaStreamWaitEvent", 507, 508)
    built.launch(510, 515, runs=(520, 980), stream=20)
    built.launch(515, 520, runs=(980, 1400), stream=20)
    assert won_ns(built) == 20_000


def test_without_a_stream_wait_streams_that_ran_at_once_may_do_so_again() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 500))
    built.launch(5, 10, runs=(15, 25), stream=20)
    built.synchronize(SYNC, 20, 505)
    built.launch(510, 515, runs=(520, 1000), stream=20)
    assert won_ns(built) == (485 - 5) * 1000


def test_copies_of_one_direction_take_turns() -> None:
    built = TraceBuilder()
    built.step(1, 0, 600)
    built.launch(0, 5, runs=(10, 20))
    built.copy("HtoD", "pinned", 5, 10, runs=(30, 500))
    built.synchronize(SYNC, 10, 505)
    built.copy("HtoD", "pinned", 510, 515, runs=(520, 1000), stream=24)
    assert won_ns(built) == 20_000


def test_a_staged_upload_holds_up_the_host_though_it_was_not_to_block() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 400))
    built.synchronize(SYNC, 10, 405)
    built.launch(410, 415, runs=(420, 500))
    built.copy("HtoD", "pageable", 415, 600, runs=(500, 595), size_bytes=1_000_000)
    # Back at 15; but the upload waits for its stream, which goes on at 400 instead of 420.
    assert won_ns(built, 0) == 20_000


def test_small_uploads_travel_with_their_command() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 400))
    built.synchronize(SYNC, 10, 405)
    built.launch(410, 415, runs=(420, 500))
    built.copy("HtoD", "pageable", 600, 620, runs=(608, 612), size_bytes=1_000)
    # It is called at 210, while the kernel runs until 480, and does not wait for that.
    assert won_ns(built, 0) == (395 - 5) * 1000


def test_rows_of_a_graph_follow_each_other() -> None:
    built = TraceBuilder()
    built.step(1, 0, 400)
    built.launch(0, 5, runs=(10, 300))
    built.synchronize(SYNC, 10, 305)
    built.graph_launch(310, 315, runs=[(320, 400), (400, 480), (480, 500), (510, 600)])
    # The device goes on at 300 instead of 320; the 10 between two nodes stay.
    assert won_ns(built) == 20_000


def test_a_wait_for_one_device_lets_the_other_start_earlier() -> None:
    built = TraceBuilder()
    built.step(1, 0, 600)
    built.launch(0, 5, runs=(10, 500))
    built.synchronize(SYNC, 20, 505, awaited=7, device=0)
    built.launch(510, 515, runs=(520, 1120), device=1)
    # Launched at 30 instead of 515; the device 1, which is the busiest one, was empty until 515.
    assert won_ns(built) == 485_000 - 5_000
    assert total(built).ceiling_ns == 485_000


def test_a_wait_for_a_device_that_did_nothing_awaits_nothing() -> None:
    """As that of a process which synchronizes device 0 and works on device 1."""
    built = TraceBuilder()
    built.step(1, 0, 1_000)
    built.launch(0, 5, runs=(10, 300), device=1)
    built.synchronize(DEVICE, 10, 20, awaited=-1, device=0)
    built.launch(500, 505, runs=(510, 600), device=1)
    assert total(built).ceiling_ns == 10_000


def two_waits(name: str, returned: float, awaited: int) -> TraceBuilder:
    """One for a stream that is soon done, and one that may be for the other stream too."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 100))
    built.launch(5, 10, runs=(15, 300), stream=20)
    built.synchronize(SYNC, 10, 110, awaited=7)
    built.synchronize(name, 120, returned, awaited=awaited)
    built.launch(900, 905, runs=(910, 920))
    return built


def test_each_synchronize_awaits_what_it_names() -> None:
    # Called at 25, it is back as late after the kernel's end at 100 as the first one was.
    assert won_ns(two_waits(SYNC, 122, awaited=7), 0) == (122 - 110) * 1000
    assert won_ns(two_waits(DEVICE, 305, awaited=-1), 0) == 0


def test_a_named_stream_is_awaited_and_not_what_ended_nearer_to_the_return() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 60), stream=20)
    built.synchronize(SYNC, 5, 65, awaited=20)
    built.launch(70, 75, runs=(80, 100))
    built.launch(75, 80, runs=(85, 108), stream=20)
    built.synchronize(SYNC, 80, 110, awaited=7)
    # Without the first wait all comes 55 earlier, but for the second kernel of the stream 20.
    assert won_ns(built, 0) == 55_000
