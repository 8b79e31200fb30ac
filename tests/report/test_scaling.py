"""Small files that hold much of one thing take time in proportion to it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tbprof.report import build_report

Events = list[dict[str, Any]]

LITTLE = 4_000
MUCH = 4 * LITTLE


def event(category: str, name: str, thread: int, start: int, duration: int, **args: object) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 1,
        "tid": thread,
        "ts": start,
        "dur": duration,
        "args": args,
    }


def waits(number: int, name: str, at: int) -> Events:
    """An op in which the host waits for a kernel."""
    return [
        event("cpu_op", name, 1, at + 1, 8),
        event("cuda_runtime", "cudaLaunchKernel", 1, at + 2, 1, correlation=2 * number + 1),
        event("kernel", "k", 7, at + 4, 3, correlation=2 * number + 1, device=0, stream=7),
        event("cuda_runtime", "cudaStreamSynchronize", 1, at + 5, 3, correlation=2 * number + 2),
    ]


def steps(count: int) -> Events:
    return [
        one
        for number in range(count)
        for one in (
            event("user_annotation", f"ProfilerStep#{number}", 1, number * 10, 9),
            *waits(number, "aten::item", number * 10),
        )
    ]


def sites(count: int) -> Events:
    return [one for number in range(count) for one in waits(number, f"op{number}", number * 10)]


def nested_ops(count: int) -> Events:
    return [event("cpu_op", "a", 1, number, 10**7 - 2 * number) for number in range(count)]


def threads(count: int) -> Events:
    return [event("cpu_op", "a", number, number, 1) for number in range(count)]


def streams(count: int) -> Events:
    return [
        one
        for number in range(count)
        for one in (
            event("cuda_runtime", "cudaLaunchKernel", 1, number * 10, 4, correlation=number + 1),
            event(
                "kernel", "k", number, number * 10 + 4, 50, correlation=number + 1, device=0, stream=number
            ),
        )
    ]


def devices(count: int) -> Events:
    return [
        one
        for number in range(count // 4)
        for one in (
            event("cuda_runtime", "cudaLaunchKernel", 1, number * 10, 4, correlation=number + 1),
            event("kernel", "k", 7, number * 10 + 4, 50, correlation=number + 1, device=number, stream=7),
        )
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "made", [steps, sites, nested_ops, threads, streams, devices], ids=lambda made: made.__name__
)
def test_four_times_as_much_takes_about_four_times_as_long(
    tmp_path: Path, made: Callable[[int], Events]
) -> None:
    took = []
    for count in (LITTLE, MUCH):
        path = tmp_path / f"{count}.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": made(count)}), encoding="utf-8")
        build_report(path, use_cache=False)
        began = time.process_time()
        build_report(path, use_cache=False)
        took.append(time.process_time() - began)
    # The square of it would take 16 times as long, and the power of 1.5, 8 times.
    assert took[1] < 6 * took[0] + 0.5, took
