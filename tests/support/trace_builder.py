"""A few readable lines to a Kineto trace of any era, whose truth is known.

    trace = TraceBuilder(era="2024+", vendor="cuda")
    trace.step(6, 0, 1000)
    trace.op("aten::item", 100, 400)
    trace.copy("DtoH", "pageable", 110, 300, runs=(250, 300), size_bytes=4)
    trace.synchronize("cudaStreamSynchronize", 301, 310.5)
    report = trace.report()

Times are in us and count from `origin_ns` of the builder, which stands for any instant of a
file's own clock. What a verb writes follows the files of its era: categories, clocks,
arrows, the form of a thread's id, and what ROCm says of a copy.
"""

from __future__ import annotations

import gzip
import itertools
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trace_dialects import COPY_NAMES, DIALECTS, KINDS, whole_us

from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.model import Report
from tbprof.report import report_of
from tbprof.trace.columns.columns import Trace
from tbprof.trace.importers.kineto.reader import read_trace

PROCESS = 100
MAIN = 100
"""The first thread of a process bears its number."""

Span = tuple[float, float]


class TraceBuilder:
    """One trace while it is told; `events` are the JSON objects so far, in file order."""

    def __init__(self, era: str = "2024+", vendor: str = "cuda") -> None:
        """`era` is "2021", "2022", "2023" or "2024+", `vendor` "cuda" or "hip"."""
        self._dialect = DIALECTS[era]
        self._era = era
        self._vendor = vendor
        self.origin_ns = self._dialect.origin_ns
        self.device_name = f"Device of {era}"
        self.rank: int | None = None
        """As torch.distributed says it of a process."""
        self.members: dict[str, Any] = {}
        """What else the file says of itself."""
        self.events: list[dict[str, Any]] = []
        self._correlations = itertools.count(1001)
        self._devices: set[int] = set()

    # What the host does.

    def step(self, number: int, start: float, end: float, *, thread: int = MAIN) -> None:
        self.annotation(f"ProfilerStep#{number}", start, end, thread=thread)

    def op(self, name: str, start: float, end: float, *, thread: int = MAIN, stack: str = "") -> None:
        """`stack` is the `Call stack` that files of 2021 give: calls, innermost first, joined by `;`."""
        self._on_host("op", name, start, end, thread, {"Call stack": stack} if stack else {})

    def annotation(self, name: str, start: float, end: float, *, thread: int = MAIN) -> None:
        self._on_host("annotation", name, start, end, thread, {})

    def frame(self, name: str, start: float, end: float, *, thread: int = MAIN) -> None:
        """A Python frame, such as `train.py(12): step`."""
        self._on_host("frame", name, start, end, thread, {})

    def memory(
        self,
        at: float,
        size_bytes: int,
        *,
        device: int | None = 0,
        address: int | None = None,
        totals: tuple[int, int] | None = None,
        thread: int = MAIN,
    ) -> None:
        """An instant at which an allocator gave (or, below 0, took back) memory; that of the CPU for None.

        `totals` are what it had given and what it held right after, in bytes.
        """
        kind, number = (0, -1) if device is None else (1, device)
        args = {"Device Type": kind, "Device Id": number, "Bytes": size_bytes}
        if address is not None:
            args["Addr"] = address
        if totals is not None:
            args["Total Allocated"], args["Total Reserved"] = totals
        category = {} if self._era == "2021" else {"cat": "cpu_instant_event"}
        place = {"pid": PROCESS, "tid": thread, "ts": self._us(at)}
        self.events.append({"ph": "i", **category, "s": "t", "name": "[memory]", **place, "args": args})

    # What the host asks of a device.

    def call(self, name: str, start: float, end: float, *, thread: int = MAIN, **args: Any) -> int:
        """A runtime or driver call; its correlation."""
        correlation = next(self._correlations)
        category = "driver" if name.startswith("cu") and not name.startswith("cuda") else "runtime"
        external = {self._dialect.external_id: correlation} if self._era in ("2022", "2023") else {}
        args = {**external, "correlation": correlation, **args}
        self._on_host(category, name, start, end, thread, args)
        return correlation

    def launch(
        self,
        start: float,
        end: float,
        *,
        runs: Span,
        name: str = "kernel",
        stream: int = 7,
        device: int = 0,
        thread: int = MAIN,
        **args: Any,
    ) -> None:
        """`args` are those of the kernel, by the names that Kineto gives them."""
        correlation = self.call(f"{self._vendor}LaunchKernel", start, end, thread=thread)
        self.kernel(*runs, name=name, stream=stream, device=device, correlation=correlation, **args)
        self._arrow(correlation, start, thread, runs[0], device, stream)

    def graph_launch(
        self, start: float, end: float, *, runs: Sequence[Span], stream: int = 7, device: int = 0
    ) -> None:
        """One call that starts a kernel for each of `runs`, all of one correlation."""
        correlation = self.call(f"{self._vendor}GraphLaunch", start, end)
        for run in runs:
            self.kernel(*run, stream=stream, device=device, correlation=correlation)

    def kernel(
        self,
        start: float,
        end: float,
        *,
        name: str = "kernel",
        stream: int = 7,
        device: int = 0,
        correlation: int,
        **args: Any,
    ) -> None:
        """A kernel alone; its launch is elsewhere, or nowhere in this trace."""
        said = {"correlation": correlation, **args}
        self._on_device("kernel", name, (start, end), device, stream, said)

    def copy(
        self,
        direction: str,
        memory: str,
        start: float,
        end: float,
        *,
        runs: Span | None,
        size_bytes: int = 4,
        gb_per_s: float | None = None,
        call: str = "",
        kind: str = "",
        stream: int = 7,
        device: int = 0,
        thread: int = MAIN,
    ) -> None:
        """A copy call and, where it `runs`, its device row.

        The call is by default what torch uses (`cudaMemcpyAsync`, `hipMemcpyWithStream`).
        `memory` ("pageable", "pinned", "") is that of the host's side; `gb_per_s` is its recorded speed;
        `kind` is what ROCm's call says instead of the number of its direction.
        """
        is_cuda = self._vendor == "cuda"
        said = {} if is_cuda else {"kind": kind or KINDS[direction], "bytes": str(size_bytes)}
        default = "cudaMemcpyAsync" if is_cuda else "hipMemcpyWithStream"
        correlation = self.call(call or default, start, end, thread=thread, **said)
        if runs is None:
            return
        name = COPY_NAMES[self._vendor](direction, memory)
        args: dict[str, Any] = {"correlation": correlation, "bytes": size_bytes}
        if gb_per_s is not None:
            args["memory bandwidth (GB/s)"] = gb_per_s
        self._on_device("memcpy", name, runs, device, stream, args)
        self._arrow(correlation, start, thread, runs[0], device, stream)

    def memset(
        self, start: float, end: float, *, runs: Span, size_bytes: int = 4, stream: int = 7, device: int = 0
    ) -> None:
        correlation = self.call(f"{self._vendor}MemsetAsync", start, end)
        args = {"correlation": correlation, "bytes": size_bytes}
        self._on_device("memset", "Memset (Device)", runs, device, stream, args)
        self._arrow(correlation, start, MAIN, runs[0], device, stream)

    def synchronize(
        self,
        name: str,
        start: float,
        end: float,
        *,
        thread: int = MAIN,
        awaited: int | None = None,
        device: int = 0,
    ) -> None:
        """A synchronize call; with the `cuda_sync` row that names the `awaited` stream, where given.

        A device synchronize awaits no stream by name: -1.
        """
        correlation = self.call(name, start, end, thread=thread)
        if awaited is None:
            return
        place: dict[str, Any] = {"stream": awaited}
        if "Event" in name:
            place = {"stream": -1, "wait_on_stream": awaited}
        kinds = {"Event": "Event Sync", "Device": "Context Sync", "Stream": "Stream Sync"}
        kind = next(kind for what, kind in kinds.items() if what in name)
        self._sync_row(kind, (start, end), correlation, device, place)

    def record_event(self, start: float, end: float, *, thread: int = MAIN) -> int:
        """What a later wait may name; its correlation."""
        return self.call(f"{self._vendor}EventRecord", start, end, thread=thread)

    def stream_wait(
        self,
        start: float,
        end: float,
        *,
        stream: int,
        awaited: int,
        record: int = -1,
        device: int = 0,
        thread: int = MAIN,
    ) -> None:
        """`stream` is told to wait for what `awaited` has to do: a call and its `cuda_sync` row."""
        correlation = self.call(f"{self._vendor}StreamWaitEvent", start, end, thread=thread)
        names = {
            "stream": stream,
            "wait_on_stream": awaited,
            "wait_on_cuda_event_record_corr_id": record,
        }
        self._sync_row("Stream Wait Event", (start, end), correlation, device, names)

    def gpu_annotation(
        self, name: str, start: float, end: float, *, stream: int = 7, device: int = 0
    ) -> None:
        """A range of the host as it looks on a stream, since 2024."""
        self._on_device("gpu_annotation", name, (start, end), device, stream, {})

    # The file, and what tbprof makes of it.

    def to_json(self) -> dict[str, Any]:
        """The file as one object."""
        dialect = self._dialect
        devices = [{"id": number, "name": self.device_name} for number in sorted(self._devices)]
        head: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": devices, **self.members}
        if self.rank is not None:
            head["distributedInfo"] = {"backend": "nccl", "rank": self.rank}
        if dialect.base_time_ns is None:
            return {**head, "traceEvents": self.events}
        tail = {"displayTimeUnit": "ms", "baseTimeNanoseconds": dialect.base_time_ns}
        return {**head, "traceEvents": self.events, **tail}

    def write(self, path: Path, *, gz: bool = False) -> Path:
        content = json.dumps(self.to_json()).encode()
        path.write_bytes(gzip.compress(content, 1) if gz else content)
        return path

    def trace(self) -> Trace:
        with tempfile.TemporaryDirectory() as folder:
            return read_trace(self.write(Path(folder, "host_1.1000.pt.trace.json")), tables=FACTS_TABLES)

    def facts(self) -> Facts:
        return Facts(self.trace())

    def report(self) -> Report:
        return report_of(self.trace())

    def _us(self, at: float) -> float | int:
        ns = self.origin_ns + round(at * 1000)
        if self._dialect.base_time_ns is not None:
            return ns / 1000
        return whole_us(ns)

    def _row(self, category: str, name: str, span: Span, pid: int, tid: int | str) -> dict[str, Any]:
        if category not in self._dialect.categories:
            raise ValueError(f"files of {self._era} have no rows of the kind {category!r}")
        ns = round(span[1] * 1000) - round(span[0] * 1000)
        duration = whole_us(ns) if self._dialect.base_time_ns is None else ns / 1000
        cat = self._dialect.categories[category]
        place = {"pid": pid, "tid": tid, "ts": self._us(span[0]), "dur": duration}
        return {"ph": "X", "cat": cat, "name": name, **place}

    def _on_host(
        self, category: str, name: str, start: float, end: float, thread: int, args: Mapping[str, Any]
    ) -> None:
        tid = str(thread) if self._era == "2021" else thread
        self.events.append({**self._row(category, name, (start, end), PROCESS, tid), "args": dict(args)})

    def _on_device(
        self, category: str, name: str, runs: Span, device: int, stream: int, args: Mapping[str, Any]
    ) -> None:
        self._devices.add(device)
        row = self._row(category, name, runs, device, self._stream(stream))
        self.events.append({**row, "args": {"device": device, "stream": stream, **args}})

    def _sync_row(
        self, kind: str, span: Span, correlation: int, device: int, place: Mapping[str, Any]
    ) -> None:
        args = {"cuda_sync_kind": kind, **place, "correlation": correlation, "device": device}
        self.events.append({**self._row("sync", kind, span, device, place["stream"]), "args": args})

    def _arrow(
        self, correlation: int, called: float, thread: int, ran: float, device: int, stream: int
    ) -> None:
        category, name = self._dialect.arrow
        arrow = {"id": correlation, "cat": category, "name": name}
        start = {"ph": "s", "pid": PROCESS, "tid": thread, "ts": self._us(called)}
        finish = {"ph": "f", "pid": device, "tid": self._stream(stream), "ts": self._us(ran), "bp": "e"}
        self.events += [{**start, **arrow}, {**finish, **arrow}]

    def _stream(self, stream: int) -> int | str:
        return f"stream {stream}" if self._era == "2021" else stream
