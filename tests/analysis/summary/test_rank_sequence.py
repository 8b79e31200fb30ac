"""The collectives of a rank in their order, and what lay between them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.figures import rank_sequence
from tbprof.model import RankSequence, Report, StretchPart

NAME = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"


def sequence_of(report: Report) -> RankSequence:
    assert report.communication is not None
    assert report.communication.sequence is not None
    return report.communication.sequence


def parts_of(sequence: RankSequence, index: int) -> dict[StretchPart, int]:
    begin, end = sequence.part_begin[index : index + 2]
    return {sequence.parts[sequence.part[at]]: sequence.part_ns[at] for at in range(begin, end)}


def two() -> TraceBuilder:
    """Two collectives, 20 to 30 and 130 to 150 us; between them 40 of computing, 10 of copying and idle."""
    built = TraceBuilder()
    built.step(1, 0, 200)
    built.launch(1, 2, runs=(20, 30), name=NAME, stream=20)
    built.annotation("forward", 30, 60)
    built.op("aten::mm", 31, 34)
    built.launch(32, 33, runs=(40, 80))
    built.copy("HtoD", "pinned", 61, 62, runs=(75, 90), stream=30)
    built.launch(120, 121, runs=(130, 150), name=NAME, stream=20)
    return built


def test_a_stretch_is_from_the_start_of_the_one_before_to_its_own() -> None:
    sequence = sequence_of(two().report())
    assert (sequence.start_ns, sequence.duration_ns) == ((20_000, 130_000), (10_000, 20_000))
    assert (sequence.begin_ns, sequence.stretch_ns) == (0, (20_000, 110_000))


def test_a_stretch_is_divided_by_what_the_device_did_and_why_it_did_nothing() -> None:
    found = parts_of(sequence_of(two().report()), 1)
    assert found[StretchPart("communication", name="all_reduce")] == 10_000
    assert found[StretchPart("computing", name="aten::mm", within="forward")] == 40_000
    assert found[StretchPart("copying")] == 10_000
    assert sum(ns for part, ns in found.items() if part.kind == "idle") == 50_000
    assert sum(found.values()) == 110_000


def test_it_says_when_the_host_launched_and_how_long_it_had_waited() -> None:
    built = two()
    built.synchronize("cudaStreamSynchronize", 64, 95)
    sequence = sequence_of(built.report())
    assert sequence.step == (1, 1)
    assert sequence.launched_ns == (2_000, 121_000)
    before, waited = sequence.host_wait_ns
    assert before == 0
    assert 10_000 < waited <= 31_000


def test_the_work_of_a_kernel_is_the_size_of_its_ops_inputs() -> None:
    built = two()
    assert set(sequence_of(built.report()).part_work) <= {0, -1}
    op = next(event for event in built.events if event["name"] == "aten::mm")
    op["args"]["Input Dims"] = [[4, 5], [5, 6], []]
    sequence = sequence_of(built.report())
    computing = sequence.parts.index(StretchPart("computing", name="aten::mm", within="forward"))
    assert sequence.part_work[sequence.part.index(computing)] == 50


def test_collectives_of_the_hosts_are_compared_where_there_is_no_device() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.op("aten::mm", 5, 25)
    built.annotation("gloo:all_reduce", 30, 60)
    built.op("aten::add", 60, 65)
    built.annotation("gloo:all_reduce", 80, 90)
    sequence = sequence_of(built.report())
    assert (sequence.device, sequence.stretch_ns) == (-1, (30_000, 50_000))
    found = parts_of(sequence, 1)
    assert found.pop(StretchPart("communication", name="all_reduce")) == 30_000
    assert found.pop(StretchPart("computing", name="aten::add")) == 5_000
    assert {part.cause for part in found} == {"python"}


def test_what_another_group_exposes_is_a_part_of_the_stretch() -> None:
    built = two()
    built.op("record_param_comms", 100, 103)
    said = {"Collective name": "allgather", "dtype": "Float", "Process Group Name": "7", "Group size": 2}
    built.events[-1]["args"].update({**said, "In msg nelems": 1, "Out msg nelems": 2})
    built.launch(101, 102, runs=(110, 120), name="ncclDevKernel_AllGather", stream=40)
    sequence = sequence_of(built.report())
    assert parts_of(sequence, 2)[StretchPart("communication", name="all_gather", within="7")] == 10_000


def test_small_parts_lose_their_names_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_sequence, "MAX_NAMED_PARTS", 1)
    sequence = sequence_of(two().report())
    named = [part for part in sequence.parts if part.name and part.kind != "communication"]
    assert len(named) <= 1
    assert all(sum(parts_of(sequence, at).values()) == ns for at, ns in enumerate(sequence.stretch_ns))


def test_what_has_no_room_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_sequence, "MAX_COLLECTIVES", 1)
    sequence = sequence_of(two().report())
    assert (len(sequence.key), sequence.left_out) == (1, 1)


def test_its_columns_are_of_one_length() -> None:
    sequence = sequence_of(two().report())
    assert sequence.part_begin[0] == 0
    assert all(begin <= end for begin, end in pairwise(sequence.part_begin))
    assert sequence.part_begin[-1] == len(sequence.part) == len(sequence.part_ns) == len(sequence.part_count)


def test_a_rank_that_says_nothing_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(1, 2, runs=(20, 30))
    communication = built.report().communication
    assert communication is not None
    assert (communication.sequence, communication.collectives) == (None, ())
