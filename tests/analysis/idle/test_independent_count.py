"""Idle counted again from the file's JSON alone, by other code, and by TraceLens."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest

from tbprof.analysis.facts import Facts
from tbprof.trace.reading import read_trace

Span = tuple[int, int]
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset")

RECORDED = (
    "hta_nccl_ddp/nccl_data.json.gz",
    "h100_bert_small_infer/h100_bert_small.json.gz",
    "h100_transformer_clean/dc3b_3169006.pt.trace.json.gz",
    pytest.param("hta_df_index_memory/df_index_resolver.json.gz", marks=pytest.mark.exhaustive),
    pytest.param("h100_owlv2_infer/h100_owlv2.json.gz", marks=pytest.mark.exhaustive),
    pytest.param("vllm_b200_tp8_eager/b200_eager.json.gz", marks=pytest.mark.exhaustive),
)
"""With one device each."""


@pytest.mark.parametrize("name", RECORDED)
def test_idle_of_the_steps_is_what_another_count_says(traces: Path, name: str) -> None:
    facts = Facts(read_trace(traces / name))
    steps = zip(facts.steps.gpu_start_ns.tolist(), facts.steps.gpu_end_ns.tolist(), strict=True)
    busy = merged(device_spans(traces / name))
    theirs = sum(idle_ns(busy, step) for step in merged(steps))
    (device,) = facts.work.devices
    assert int(facts.idle.by_device[device].device_ns.sum()) == theirs


@pytest.mark.parametrize(
    "name",
    [
        "h100_bert_small_infer/h100_bert_small.json.gz",
        "mi300_bert_small_infer/mi300_bert_small.json.gz",
        pytest.param("h100_owlv2_infer/h100_owlv2.json.gz", marks=pytest.mark.exhaustive),
    ],
)
def test_the_other_count_is_right_by_tracelens(traces: Path, name: str) -> None:
    """From the first work of the device to its last; it adds up float32 times, hence the tolerance."""
    busy = merged(device_spans(traces / name))
    with (traces / name).parent.joinpath("peer_figures/gpu_timeline.csv").open(encoding="utf-8") as file:
        theirs = {row["type"]: 1e6 * float(row["time ms"]) for row in csv.DictReader(file)}
    span = busy[0][0], busy[-1][1]
    assert idle_ns(busy, span) == pytest.approx(theirs["idle_time"], rel=1e-3)


def device_spans(path: Path) -> list[Span]:
    """Start and end of all that a device did, in ns of the file's own clock."""
    document = json.loads(gzip.decompress(path.read_bytes()), parse_float=Decimal)
    return [
        (int(event["ts"] * 1000), int(event["ts"] * 1000) + int(event["dur"] * 1000))
        for event in document["traceEvents"]
        if event.get("ph") == "X" and event.get("cat") in ON_DEVICE
    ]


def merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def idle_ns(busy: Iterable[Span], room: Span) -> int:
    worked = sum(max(min(end, room[1]) - max(start, room[0]), 0) for start, end in busy)
    return room[1] - room[0] - worked
