"""Small Kineto files for tests, and the plain values of a trace to compare with."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tbprof.trace.columns.arrays import SparseColumn
from tbprof.trace.columns.columns import Trace

Json = Mapping[str, Any]

HEAD: Json = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85045477376}],
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
}
TAIL: Json = {
    "traceName": "fit-[Strategy]}],./log/w.pt.trace.json",
    "displayTimeUnit": "ms",
    "baseTimeNanoseconds": 1751410836000000000,
}


def complete(
    name: str, ts: Any, dur: Any, cat: str = "cpu_op", pid: Any = 1, tid: Any = 1, **args: Any
) -> dict[str, Any]:
    """A complete event as Kineto writes it."""
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kernel(name: str, ts: Any, dur: Any, correlation: int) -> dict[str, Any]:
    """A kernel on stream 7 of device 0."""
    return complete(name, ts, dur, "kernel", 0, 7, device=0, stream=7, correlation=correlation)


def a_step() -> list[dict[str, Any]]:
    """A step with two launches, the arrows and the metadata that Kineto adds, and an instant."""
    return [
        complete("ProfilerStep#6", 4000.125, 900.5, "user_annotation"),
        complete("aten::add", 4010.25, 40.001, **{"Input Dims": [[2, 3], []], "Call stack": ""}),
        complete("cudaLaunchKernel", 4020.5, 10.25, "cuda_runtime", correlation=11, cbid=211),
        {"ph": "s", "id": 11, "pid": 1, "tid": 1, "ts": 4020.5, "cat": "ac2g", "name": "ac2g"},
        kernel('add<{"ph": 1}], [{>', 4050.75, 20.5, 11),
        {"ph": "f", "id": 11, "pid": 0, "tid": 7, "ts": 4050.75, "cat": "ac2g", "name": "ac2g", "bp": "e"},
        complete("aten::mul", 4100.0, 30.0, Parts=[{"name": "a"}, {"name": "b", "ts": 1}]),
        complete("cudaLaunchKernel", 4110.0, 10.0, "cuda_runtime", correlation=12, cbid=211),
        kernel("mul", 4140.0, 20.0, 12),
        complete("torch/nn/modules/module.py(1): _call_impl", 4000.5, 800.0, "python_function"),
        {
            "ph": "i",
            "cat": "cpu_instant_event",
            "s": "t",
            "name": "[memory]",
            "pid": 1,
            "tid": 1,
            "ts": 4001.0,
        },
        {
            "name": "thread_name",
            "ph": "M",
            "ts": 0,
            "pid": 1,
            "tid": 1,
            "args": {"name": "thread 1 (python3)"},
        },
        {"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "stream 7 "}},
        {"name": "process_labels", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
    ]


def classic(events: Sequence[Json], head: Json = HEAD, tail: Json = TAIL) -> bytes:
    """In Kineto's own layout: a few lines an event, metadata before and behind."""
    rows = []
    for event in events:
        first = {key: value for key, value in event.items() if key != "args"}
        row = "  {\n    " + json.dumps(first)[1:-1]
        if "args" in event:
            row += ',\n    "args": {\n      ' + json.dumps(event["args"])[1:-1] + "\n    }"
        rows.append(row + "\n  }")
    lines = ["{", *(f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items())]
    lines += ['  "traceEvents": [', ",\n".join(rows), "  ]"]
    for key, value in tail.items():
        lines[-1] += ","
        lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "\n".join([*lines, "}\n"]).encode()


def dumped(events: Sequence[Json], *, events_first: bool = False, **layout: Any) -> bytes:
    """Written again by `json.dump`, as the tools around Kineto do."""
    body = {"traceEvents": list(events)}
    members = {**body, **HEAD, **TAIL} if events_first else {**HEAD, **body, **TAIL}
    return json.dumps(members, **layout).encode()


def write(folder: Path, content: bytes, name: str = "w.pt.trace.json", *, packed: bool = False) -> Path:
    """The file at `folder / name`."""
    path = folder / name
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    return path


def rows_of(trace: Trace) -> list[tuple[Any, ...]]:
    """Each row as plain values: start, duration, name, category, pid, tid, correlation."""
    columns = trace.slices
    lanes = [trace.lanes[lane] for lane in columns.lane.tolist()]
    return list(
        zip(
            columns.start_ns.tolist(),
            columns.duration_ns.tolist(),
            [trace.names[name] for name in columns.name.tolist()],
            columns.category.tolist(),
            [lane.process for lane in lanes],
            [lane.thread for lane in lanes],
            columns.correlation.tolist(),
            strict=True,
        )
    )


def cells_of(column: SparseColumn) -> dict[int, int]:
    """Row to value of those rows that have one."""
    return dict(zip(column.rows.tolist(), column.values.tolist(), strict=True))


def values_of(trace: Trace) -> dict[str, Any]:
    """Everything that a trace says, but for its path and health, as plain values."""
    sparse = ("device", "stream", "bytes", "copy_kind", "awaited_stream", "awaited_record", "call_stack")
    return {
        "rows": rows_of(trace),
        "lanes": trace.lanes,
        **{field: cells_of(getattr(trace, field)) for field in sparse},
        "device_names": dict(trace.device_names),
        "rank": (trace.rank, trace.world_size),
        "era": trace.era,
        "origin_ns": trace.origin_ns,
        "num_events": trace.num_events,
        "facts": trace.facts,
    }


def health_numbers(trace: Trace) -> dict[str, dict[str, Any]]:
    """Code to numbers."""
    return {fact.code: dict(fact.numbers) for fact in trace.health}
