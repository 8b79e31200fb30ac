"""JSON of rocprofv3: a real recording of kernels, and the other records that rocprofiler-sdk documents."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tbprof.errors import NotATrace
from tbprof.report import build_report
from tbprof.trace.columns.columns import Category
from tbprof.trace.reading import read_trace

OF_KERNELS = Path(__file__).parents[3] / "data" / "rocprofv3" / "kernels_of_mi350x.json.gz"
"""A part of what rocprofv3 wrote of the kernels of one process of a training."""

GPU, CPU = {"handle": 700}, {"handle": 500}


def timed(kind: int, operation: int, number: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    times = {"start_timestamp": start, "end_timestamp": end, "thread_id": 5}
    ids = {"kind": kind, "operation": operation, "correlation_id": {"internal": number, "external": 0}}
    return {"size": 72, **ids, **times, **more}


def results(num_steps: int = 3) -> dict[str, Any]:
    """Steps of one kernel, and a copy to the host that blocks."""
    records: dict[str, list[dict[str, Any]]] = {
        "kernel_dispatch": [],
        "memory_copy": [],
        "hip_api": [],
        "marker_api": [],
    }
    for step in range(num_steps):
        at, number = 1_000_000 * (step + 1), 10 * step
        info = {"kernel_id": 3, "agent_id": GPU, "queue_id": {"handle": 1}, "dispatch_id": step,
                "grid_size": {"x": 1024, "y": 2, "z": 1}, "workgroup_size": {"x": 256}}  # fmt: skip
        records["hip_api"] += [
            timed(0, 0, number, at, at + 4_000),
            timed(0, 1, number + 1, at + 5_000, at + 300_000),
        ]
        records["kernel_dispatch"].append(timed(1, 0, number, at + 9_000, at + 200_000, dispatch_info=info))
        ends = {"src_agent_id": GPU, "dst_agent_id": CPU, "bytes": 4}
        records["memory_copy"].append(timed(2, 0, number + 1, at + 210_000, at + 212_000, **ends))
        records["marker_api"].append(timed(3, 0, 900 + step, at - 100, at + 900_000))
    kinds = [
        ("HIP_RUNTIME_API", ["hipLaunchKernel", "hipMemcpyWithStream"]),
        ("KERNEL_DISPATCH", ["DISPATCH"]),
        ("MEMORY_COPY", ["MEMORY_COPY_DEVICE_TO_HOST"]),
        ("MARKER_CORE_API", ["roctxThreadRangeA"]),
    ]
    process = {
        "metadata": {"pid": 77, "node": {"hostname": "node1"}},
        "agents": [
            {"id": CPU, "type": 1},
            {"id": GPU, "type": 2, "node_id": 1, "product_name": "Instinct MI300X"},
        ],
        "kernel_symbols": [
            {"kernel_id": 3, "kernel_name": "gemm.kd", "formatted_kernel_name": "gemm(float*)"}
        ],
        "strings": {
            "buffer_records": [{"kind": kind, "operations": operations} for kind, operations in kinds],
            "marker_api": [{"key": 900 + step, "value": f"step {step}"} for step in range(num_steps)],
        },
        "buffer_records": records,
    }
    return {"rocprofiler-sdk-tool": [process]}


def test_every_record_is_a_row(tmp_path: Path) -> None:
    path, written = tmp_path / "results.json", results()
    path.write_text(json.dumps(written), encoding="utf-8")
    slices = read_trace(path).slices
    records = written["rocprofiler-sdk-tool"][0]["buffer_records"]
    categories = {
        "kernel_dispatch": Category.KERNEL,
        "memory_copy": Category.MEMCPY,
        "hip_api": Category.RUNTIME,
    }
    for kind, category in categories.items():
        counted = sum(record["end_timestamp"] - record["start_timestamp"] for record in records[kind])
        durations = slices.duration_ns[slices.category == category]
        assert (len(durations), int(durations.sum())) == (len(records[kind]), counted)


def test_a_report_knows_steps_waits_and_the_device(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results()), encoding="utf-8")
    report = build_report(path)
    assert [step.name for step in report.steps] == ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"]
    assert report.trace.devices == ("Instinct MI300X",)
    assert [(site.direction, site.count) for site in report.sites] == [("DtoH", 3)]


def test_of_a_recording_of_kernels_nothing_is_said_of_the_host() -> None:
    process = json.loads(gzip.decompress(OF_KERNELS.read_bytes()))["rocprofiler-sdk-tool"][0]
    dispatched = process["buffer_records"]["kernel_dispatch"]
    run_ns = sum(one["end_timestamp"] - one["start_timestamp"] for one in dispatched)
    slices = read_trace(OF_KERNELS).slices
    assert slices.category.tolist() == [Category.KERNEL] * len(dispatched)
    assert int(slices.duration_ns.sum()) == run_ns
    report = build_report(OF_KERNELS)
    assert "AMD Instinct MI350X" in report.trace.devices
    waits = [check for check in report.checks if check.rule.startswith("SYN")]
    assert all("calls of the host" in check.needs for check in waits)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"rocprofiler-sdk-tool": []}', "no kernels, copies or calls"),
        ('{"rocprofiler-sdk-tool": [{"buffer_records": {"hip_api": [', "is damaged"),
        ('{"rocprofiler-sdk-tool": 7}', "is damaged"),
    ],
)
def test_what_is_none_of_it_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(NotATrace, match=message):
        read_trace(path)


@pytest.mark.parametrize("instant", ["soon", 2**70, -1])
def test_a_time_that_is_none_is_an_error_that_names_the_file(tmp_path: Path, instant: object) -> None:
    path, written = tmp_path / "results.json", results()
    written["rocprofiler-sdk-tool"][0]["buffer_records"]["hip_api"][0]["end_timestamp"] = instant
    path.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(NotATrace, match=r"results\.json is damaged"):
        read_trace(path)
