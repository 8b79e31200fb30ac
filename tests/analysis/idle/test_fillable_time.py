"""Which moments a host that comes earlier could fill.

All times are in us; a step lasts 1000.
"""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS, saving_of

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def pieces(built: TraceBuilder) -> list[tuple[int, int]]:
    """In us from the first event on."""
    facts = built.facts()
    found = facts.fillable
    return [
        ((start - facts.origin_ns) // 1000, (end - facts.origin_ns) // 1000)
        for start, end in zip(found.start_ns.tolist(), found.end_ns.tolist(), strict=True)
    ]


def step() -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    return built


def test_idle_with_nothing_queued_can_be_filled_and_idle_with_work_queued_cannot() -> None:
    built = step()
    built.launch(0, 5, runs=(10, 400))
    built.launch(600, 605, runs=(700, 1000))
    assert pieces(built) == [(0, 5), (400, 605)]


def test_a_transfer_under_no_kernel_can_be_filled() -> None:
    built = step()
    built.launch(0, 5, runs=(5, 400))
    built.copy("HtoD", "pinned", 10, 15, runs=(300, 700), stream=24)
    built.launch(20, 25, runs=(700, 1000))
    assert pieces(built) == [(0, 5), (400, 700)]


def test_while_another_stream_runs_the_computing_one_can_be_filled_if_it_has_nothing_to_do() -> None:
    built = step()
    built.launch(0, 5, runs=(5, 400))
    built.launch(5, 10, runs=(400, 900), name=ALL_REDUCE, stream=20)
    built.synchronize("cudaDeviceSynchronize", 20, 905)
    built.launch(910, 915, runs=(920, 1000))
    assert pieces(built) == [(0, 5), (400, 915)]


def test_the_computing_stream_is_the_one_with_most_computing_and_not_with_most_communication() -> None:
    built = step()
    built.launch(0, 5, runs=(5, 300))
    built.launch(5, 10, runs=(300, 1000), name=ALL_REDUCE, stream=20)
    assert pieces(built) == [(0, 5), (300, 1000)]


def test_a_moment_counts_once_and_only_within_the_steps() -> None:
    built = step()
    built.launch(0, 5, runs=(5, 400))
    built.copy("HtoD", "pinned", 10, 15, runs=(400, 1050), stream=24)
    built.launch(1300, 1305, runs=(1310, 1400))
    assert pieces(built) == [(0, 5), (400, 1000)]


def test_without_device_work_there_is_nothing_to_fill() -> None:
    assert step().facts().fillable_ns == 0


def test_a_wait_for_an_all_reduce_can_win_what_the_next_layer_would_take() -> None:
    """Twice: compute 400, all-reduce 500, which the host awaits; the next step does not need it."""
    built = TraceBuilder()
    for number in (0, 1):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 5, runs=(start + 10, start + 410))
        record = built.record_event(start + 5, start + 6)
        built.stream_wait(start + 6, start + 7, stream=20, awaited=7, record=record)
        built.launch(start + 7, start + 12, runs=(start + 411, start + 911), name=ALL_REDUCE, stream=20)
        built.synchronize("cudaDeviceSynchronize", start + 20, start + 915)
    facts = built.facts()
    saving = saving_of(facts, facts.sites[0].members, "drop")
    # The second compute runs beside the first all-reduce, and the second all-reduce from 912 to 1412.
    assert saving.estimate_ns == 588_000
    # The first all-reduce, both times the host from its wait on, and the line.
    assert saving.ceiling_ns == 895_000 + LINE_NS
