"""What a file lacks or has lost is said in numbers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hook_facts import FACTS
from trace_samples import HEAD, a_step, classic, complete, health_numbers, kernel, rows_of, write

from tbprof.model import HealthFact
from tbprof.texts.health import health_sentence
from tbprof.trace.columns.columns import Trace
from tbprof.trace.importers.kineto.reader import read_trace

LAUNCH = complete("cudaLaunchKernel", 100.0, 5.0, "cuda_runtime", correlation=1)


def health(folder: Path, *events: dict) -> dict[str, dict]:
    return health_numbers(read_trace(write(folder, classic(events))))


def test_a_whole_file_has_nothing_to_say(tmp_path: Path) -> None:
    assert health(tmp_path, *a_step()) == {}


def test_no_gpu_work(tmp_path: Path) -> None:
    op = complete("aten::add", 90.0, 50.0, "cpu_op")
    assert health(tmp_path, op) == {"no_gpu_rows": {"rows": 1}}


def test_launches_without_any_gpu_work_are_said_to_be_lost(tmp_path: Path) -> None:
    """That CUDA activity was recorded: nothing asks to turn it on."""
    assert health(tmp_path, LAUNCH) == {"gpu_work_lost": {"launches": 1}}


def test_a_graph_that_was_launched_was_lost_as_a_kernel_is(tmp_path: Path) -> None:
    assert health(tmp_path, {**LAUNCH, "name": "cudaGraphLaunch"}) == {"gpu_work_lost": {"launches": 1}}


@pytest.mark.parametrize(("calls", "codes"), [(20, []), (21, ["no_operators"])])
def test_many_calls_without_any_operator_were_recorded_without_the_host(
    tmp_path: Path, calls: int, codes: list[str]
) -> None:
    pairs = [
        [
            complete("cudaLaunchKernel", 100.0 * at, 5.0, "cuda_runtime", correlation=at),
            kernel("a", 100.0 * at + 10, 5.0, at),
        ]
        for at in range(1, calls + 1)
    ]
    events = [event for pair in pairs for event in pair]
    assert list(health(tmp_path, *events)) == codes
    assert list(health(tmp_path, complete("aten::add", 90.0, 5.0, "cpu_op"), *events)) == []


def test_launches_of_hip_were_not_lost_by_cupti(tmp_path: Path) -> None:
    launch = {**LAUNCH, "name": "hipLaunchKernel"}
    lost = health(tmp_path, launch)["gpu_work_lost"]
    assert lost == {"launches": 1, "recorder": "roctracer"}
    assert "CUPTI" not in health_sentence(HealthFact("gpu_work_lost", "warning", lost))


@pytest.mark.parametrize(
    ("device", "version", "noted"),
    [
        ("NVIDIA H100 80GB HBM3", "12.9", {}),
        ("AMD Instinct MI300X", "6.4.43484-123eb5128", {"recorder": "roctracer"}),
        ("Intel(R) Data Center GPU Max 1100", None, {"recorder": "PTI"}),
    ],
)
def test_who_should_have_recorded_a_device_is_named(
    tmp_path: Path, device: str, version: str | None, noted: dict[str, str]
) -> None:
    facts = dataclasses.replace(FACTS, device_names=(device,), cuda_version=version)
    events = classic(
        [complete("aten::add", 90.0, 50.0, "cpu_op")], head={"tbprof": dataclasses.asdict(facts), **HEAD}
    )
    [fact] = read_trace(write(tmp_path, events)).health
    assert (fact.code, fact.numbers) == ("gpu_not_recorded", {"device": device, "window": 0, **noted})
    assert f"another tool holds {noted.get('recorder', 'CUPTI')}, " in health_sentence(fact)


def test_work_whose_call_is_missing(tmp_path: Path) -> None:
    without = {**kernel("b", 130.0, 5.0, 0), "args": {"device": 0, "stream": 7}}
    work = [kernel("a", 110.0, 5.0, 1), without, kernel("c", 140.0, 5.0, 2)]

    assert health(tmp_path, LAUNCH, *work) == {"gpu_rows_without_launch": {"rows": 2, "of": 3}}


@pytest.mark.parametrize("number", [0, 2**31 - 1, 2**31, 2**32 + 1, 2**52])
def test_a_correlation_of_any_size_joins_both_sides(tmp_path: Path, number: int) -> None:
    """And is not one of those that 32 bits can't tell from it."""
    launch = complete("cudaLaunchKernel", 100.0, 5.0, "cuda_runtime", correlation=number)
    other = kernel("a", 120.0, 5.0, number % 2**31 + 1)

    assert health(tmp_path, launch, kernel("a", 110.0, 5.0, number)) == {}
    assert health(tmp_path, launch, other)["gpu_rows_without_launch"] == {"rows": 1, "of": 1}


def test_clocks_that_disagree(tmp_path: Path) -> None:
    assert health(tmp_path, LAUNCH, kernel("a", 90.0, 5.0, 1)) == {}
    assert health(tmp_path, LAUNCH, kernel("a", 89.999, 5.0, 1)) == {
        "gpu_before_launch": {"rows": 1, "worst_ns": 10001}
    }


def test_durations_below_zero(tmp_path: Path) -> None:
    odd = complete("a", 1.0, -3.0)

    assert health(tmp_path, odd, *a_step()) == {"negative_durations": {"rows": 1}}


@pytest.mark.parametrize(
    "times",
    [(0.0, 5.0), (2.7e12, 5.0), (1.7e12 + 20, 9e10), (1.7e12 + 20, 2.0**42)],
    ids=["epoch", "years-later", "a-day-long", "overflowed"],
)
def test_a_row_whose_clock_failed_costs_itself_alone(tmp_path: Path, times: tuple[float, float]) -> None:
    step = [dict(event, ts=event["ts"] + 1.7e12) if "ts" in event else event for event in a_step()]
    clean = read_trace(write(tmp_path, classic(step), "clean.json"))

    trace = read_trace(write(tmp_path, classic([step[0], complete("stray", *times), *step[1:]])))

    assert health_numbers(trace) == {**health_numbers(clean), "stray_times": {"rows": 1}}
    assert rows_of(trace) == rows_of(clean)
    assert _streams(trace) == _streams(clean)


def test_many_rows_at_zero_are_no_second_clock(tmp_path: Path) -> None:
    """What they launched is lost, wherever it was."""
    step = [dict(event, ts=event["ts"] + 1.7e12) if "ts" in event else event for event in a_step()]
    timeless = [
        dict(complete("cudaLaunchKernel", 0.0, 0.0), cat="cuda_runtime", args={"correlation": 900 + number})
        for number in range(3 * len(step))
    ]
    numbers = health_numbers(read_trace(write(tmp_path, classic([*step, *timeless]))))
    assert numbers["stray_times"] == {"rows": len(timeless), "calls": len(timeless)}
    lost = numbers["launches_without_gpu_rows"]
    assert lost["rows"] == len(timeless)


def _streams(trace: Trace) -> list[int]:
    return trace.stream.at(np.arange(len(trace.slices))).tolist()


def test_all_that_one_file_lost_is_named(tmp_path: Path) -> None:
    damaged = classic([complete("a", 1, -1), *a_step()], head={"tbprof": 1, "bad": 0})
    damaged = damaged.replace(b'"bad": 0', b'"bad": oops')[:-400].replace(b"aten::add", b"aten\0add")
    seen = {fact.code for fact in read_trace(write(tmp_path, damaged, packed=True)).health}

    assert {"truncated", "text_repaired", "facts_damaged", "metadata_damaged"} <= seen


def launches(folder: Path, *events: dict, **head: Any) -> dict[str, dict]:
    """Health of a file with a launch and its kernel, and what else there is."""
    content = classic([LAUNCH, kernel("a", 110.0, 5.0, 1), *events], {**HEAD, **head})
    return health_numbers(read_trace(write(folder, content)))


def test_a_launch_whose_work_is_missing(tmp_path: Path) -> None:
    lost = {**LAUNCH, "args": {"correlation": 2}}
    others = [{**lost, "name": "cudaEventRecord"}, {**lost, "cat": "cpu_op"}]

    assert launches(tmp_path, *others) == {}
    assert launches(tmp_path, lost) == {"launches_without_gpu_rows": {"rows": 1, "of": 2}}


WAIT = complete("cudaStreamWaitEvent", 120.0, 5.0, "cuda_runtime", correlation=3)
SYNC = {"cuda_sync_kind": "Stream Wait Event", "stream": 7, "device": 0}


def test_waits_of_streams_that_no_sync_event_explains(tmp_path: Path) -> None:
    named = complete("Stream Wait Event", 121.0, 1.0, "cuda_sync", **SYNC, wait_on_stream=20)

    assert launches(tmp_path, WAIT) == {"sync_events_missing": {"waits": 1}}
    assert launches(tmp_path, WAIT, named) == {}


def test_sync_events_that_do_not_name_a_stream(tmp_path: Path) -> None:
    unnamed = complete("Stream Wait Event", 121.0, 1.0, "cuda_sync", **SYNC)
    other = complete("Context Sync", 122.0, 1.0, "cuda_sync", cuda_sync_kind="Context Sync", device=0)

    assert launches(tmp_path, unnamed, other) == {"sync_events_without_streams": {"rows": 1, "of": 1}}


def test_what_the_file_does_not_say_of_itself(tmp_path: Path) -> None:
    collective = complete("record_param_comms", 120.0, 1.0, **{"Collective name": "allreduce"})

    assert launches(tmp_path, collective) == {}
    assert launches(tmp_path, collective, distributedInfo={}) == {"rank_unknown": {"collectives": 1}}
    assert launches(tmp_path, deviceProperties=[]) == {"device_names_unknown": {"devices": 1, "of": 1}}
