"""The figures that torch-tb-profiler's own tests assert of distributed windows, for the same rows.

Its cases are of the dialect of 2021, times in us, a step from 0 to 235. Of NCCL both count the same.
Collectives of gloo it sets against kernels as if they ran on the device; here they are the host's.
"""

from __future__ import annotations

import numpy as np
import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import overlap_ns

BROADCAST = "ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclWorkElem)"
ALL_REDUCE = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"


def collective(built: TraceBuilder, name: str, at: float, end: float, elements: int) -> None:
    built.op(name, at, end)
    built.events[-1]["args"].update({"Input Dims": [[elements]], "Input type": ["float"]})


def nccl_rank(broadcast: tuple[int, int], kernel: tuple[int, int], all_reduce: tuple[int, int]) -> Facts:
    """One rank by its device rows: a broadcast, a kernel beside, an all_reduce."""
    built = TraceBuilder("2021")
    collective(built, "nccl:broadcast", 0, 5, 53_120)
    built.launch(1, 2, runs=broadcast, name=BROADCAST, stream=16)
    built.launch(8, 9, runs=kernel)
    collective(built, "nccl:all_reduce", 160, 235, 2_049_000)
    built.launch(161, 162, runs=all_reduce, name=ALL_REDUCE, stream=16)
    return built.facts()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (((16, 32), (130, 291), (162, 1718)), (32, 73, 16, 114)),
        (((8, 39), (30, 191), (562, 1620)), (152, 9, 22, 52)),
    ],
    ids=["worker0", "worker1"],
)
def test_nccl_beside_computing_is_divided_alike(
    rows: tuple[tuple[int, int], tuple[int, int], tuple[int, int]], expected: tuple[int, int, int, int]
) -> None:
    facts = nccl_rank(*rows)
    begin = facts.origin_ns
    span = np.array([begin]), np.array([begin + 235_000])
    parts = facts.parts
    computing, exposed = int(parts.computing_ns(*span)[0]), int(parts.communication_exposed_ns(*span)[0])
    overlapped = sum(int(overlap_ns(rows, *span)[0]) for rows in parts.communication_overlapped.values())
    found = (computing - overlapped, overlapped, exposed, 235_000 - computing - exposed)
    assert tuple(ns // 1000 for ns in found) == expected


def test_nccl_has_the_same_sizes() -> None:
    facts = nccl_rank((16, 32), (130, 291), (162, 1718))
    found = facts.collectives
    keys = [found.keys[key] for key in found.key.tolist()]
    assert [(key.kind, key.bytes_in) for key in keys] == [("broadcast", 212_480), ("all_reduce", 8_196_000)]


def test_gloo_has_the_same_counts_and_sizes_and_none_of_the_device_s_time() -> None:
    built = TraceBuilder("2021")
    for at, length in ((16, 38), (25, 36), (66, 18)):
        collective(built, "gloo:broadcast", at, at + length, 53_120)
    for at, length in ((110, 18), (120, 36)):
        collective(built, "gloo:all_reduce", at, at + length, 2_049_000)
    built.launch(0, 1, runs=(30, 131))
    communication = built.report().communication
    assert communication is not None
    found = {total.kind: (total.on, total.count, total.bytes_in) for total in communication.collectives}
    assert found == {"broadcast": ("host", 3, 637_440), "all_reduce": ("host", 2, 16_392_000)}
    assert (communication.exposed_ns, communication.overlapped_ns) == (0, 0)
