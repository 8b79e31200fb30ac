"""What each collective sent: from arguments, from the range around it, from its name."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.model import CollectiveTotal, PeerTraffic, Report

ARGUMENTS = {
    "Collective name": "allreduce",
    "dtype": "BFloat16",
    "In msg nelems": 1_000_000,
    "Out msg nelems": 1_000_000,
    "Group size": 4,
    "Process Group Name": "0",
    "Process Group Ranks": "[0, 1, 2, 3]",
    "Seq": 17,
}
KERNEL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def collective(built: TraceBuilder, at: float, runs: tuple[float, float], **arguments: object) -> None:
    """One whose op says these arguments."""
    built.op("record_param_comms", at, at + 3)
    built.events[-1]["args"].update(arguments)
    built.launch(at + 1, at + 2, runs=runs, name=KERNEL, stream=20)


def collectives(report: Report) -> tuple[CollectiveTotal, ...]:
    assert report.communication is not None
    return report.communication.collectives


def test_the_arguments_of_its_op_say_all_of_a_collective() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    collective(built, 10, (20, 120), **ARGUMENTS)
    (total,) = collectives(built.report())
    assert (total.kind, total.group, total.ranks, total.group_size) == ("all_reduce", "0", "[0, 1, 2, 3]", 4)
    assert (total.dtype, total.bytes_in, total.bytes_out) == ("bfloat16", 2_000_000, 2_000_000)
    assert (total.count, total.total_ns, total.exposed_ns) == (1, 100_000, 100_000)
    # 2 MB in 100 us; each link of a ring of four carries one and a half times that.
    assert (total.algorithm_gb_s, total.bus_gb_s) == (20.0, 30.0)
    assert total.transfer_ns is None
    assert total.arrival_wait_ns is None


def test_its_sequence_number_is_kept_for_the_other_ranks() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    collective(built, 10, (20, 120), **ARGUMENTS)
    communication = built.report().communication
    assert communication is not None
    assert communication.sequence is not None
    assert communication.sequence.number == (17,)


def test_the_kernel_is_believed_before_the_op() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    collective(built, 10, (20, 120), **ARGUMENTS)
    kernel = next(event for event in built.events if event["name"] == KERNEL)
    kernel["args"].update({**ARGUMENTS, "In msg nelems": 10, "Out msg nelems": 40, "dtype": "Float"})
    (total,) = collectives(built.report())
    assert (total.dtype, total.bytes_in, total.bytes_out, total.message_bytes) == ("float32", 40, 160, 160)


def test_without_arguments_the_range_says_kind_and_what_went_in() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.annotation("nccl:all_to_all", 10, 13)
    built.events[-1]["args"] = {"Input Dims": [[8, 1024]], "Input type": ["float"]}
    built.launch(11, 12, runs=(20, 120), name="ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)")
    (total,) = collectives(built.report())
    assert (total.kind, total.dtype, total.bytes_in, total.bytes_out) == (
        "all_to_all",
        "float32",
        32_768,
        None,
    )
    assert (total.group, total.group_size, total.bus_gb_s) == (None, None, None)


def test_of_two_that_run_at_once_the_earlier_has_the_exposed_time() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(1, 2, runs=(10, 50), name="ncclDevKernel_AllGather", stream=20)
    built.launch(3, 4, runs=(30, 70), name="ncclDevKernel_ReduceScatter", stream=30)
    found = {total.kind: total for total in collectives(built.report())}
    assert (found["all_gather"].exposed_ns, found["reduce_scatter"].exposed_ns) == (40_000, 20_000)
    assert (found["all_gather"].streams, found["reduce_scatter"].total_ns) == ((20,), 40_000)


def test_those_of_the_host_are_shown_as_such_and_never_device_time() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(1, 2, runs=(10, 50))
    built.annotation("gloo:all_reduce", 100, 400)
    built.events[-1]["args"] = {"Input Dims": [[1000]], "Input type": ["float"]}
    report = built.report()
    (total,) = collectives(report)
    assert (total.on, total.kind, total.bytes_in, total.total_ns) == ("host", "all_reduce", 4_000, 300_000)
    assert total.exposed_ns is None
    assert report.steps[0].communication_exposed_ns == 0


def test_sends_and_receives_are_counted_by_pair_of_ranks() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for at, source, destination in ((10, 0, 1), (20, 0, 1), (30, 1, 0)):
        name = "send" if source == 0 else "recv"
        pair = {"Collective name": name, "Src Rank": source, "Dst Rank": destination}
        collective(built, at, (at + 2, at + 5), **{**ARGUMENTS, **pair})
    communication = built.report().communication
    assert communication is not None
    assert communication.peers == (PeerTraffic(0, 1, 2, 4_000_000), PeerTraffic(1, 0, 1, 2_000_000))
