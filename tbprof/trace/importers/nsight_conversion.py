"""The tables of an Nsight Systems export, as the rows that Kineto makes of the same CUPTI records.

Tables and numbers are those of NVIDIA's "SQLite Schema Reference" in the user guide of Nsight Systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tbprof.errors import NotATrace
from tbprof.records import dataclass
from tbprof.trace.importers.kineto_writer import (
    Converted,
    KinetoWriter,
    category_and_name,
    writing,
)
from tbprof.trace.importers.sqlite_tables import SqliteTables, open_tables
from tbprof.trace.importers.unpacked import max_trace_bytes

_THREAD_BITS = 24
_NUMBER = (1 << _THREAD_BITS) - 1
"""The number of a process or thread: a serialized id holds the process's number above the thread's."""


@dataclass(frozen=True, slots=True)
class _Recording:
    tables: SqliteTables
    strings: Strings
    devices: Mapping[int, str]
    base_time_ns: int
    host: str


def convert_nsight(path: Path, folder: Path) -> Sequence[Converted]:
    """See `Converter.convert`.

    Raises:
        TraceError: The file is damaged, of something else, or has no CUDA rows.
    """
    with open_tables(path) as tables:
        if "StringIds" not in tables:
            raise NotATrace(
                f"{path} is an SQLite file, but none of Nsight Systems: "
                "make one with nsys export --type sqlite; of rocprofv3, take --output-format json."
            )
        recording = _Recording(
            tables, Strings.of(tables), _devices(tables), _base_time_ns(tables), _host(tables)
        )
        processes = _processes(tables)
        if not processes:
            raise NotATrace(f"{path} holds no rows of CUDA: record with nsys profile --trace=cuda,nvtx.")
        return [_write(recording, process, path, folder) for process in processes]


def _write(recording: _Recording, process: int, source: Path, folder: Path) -> Converted:
    pid = (process >> _THREAD_BITS) & _NUMBER
    path = folder / f"{pid}-{process:x}.trace.json.gz"
    limit = max_trace_bytes(source.stat().st_size)
    with writing(path, str(source), limit, recording.devices, recording.base_time_ns) as writer:
        _write_rows(writer, recording, process, pid)
    return Converted(path, recording.host, pid, _not_read(recording.tables, process))


def _write_rows(writer: KinetoWriter, recording: _Recording, process: int, pid: int) -> None:
    tables, strings = recording.tables, recording.strings
    for event in thread_names(tables, strings, process, pid):
        writer.add(event)
    for category, rows in ranges(tables, strings, process, pid):
        writer.rows(category, rows)
    for category, rows in runtime_calls(tables, strings, process, pid):
        writer.rows(category, rows)
    writer.rows("kernel", kernels(tables, strings, process))
    writer.rows("kernel", graphs(tables, process))
    writer.rows("gpu_memcpy", copies(tables, process))
    writer.rows("gpu_memset", fills(tables, process))
    writer.rows("cuda_sync", synchronizations(tables, process))


def _processes(tables: SqliteTables) -> list[int]:
    """The processes that used a device; without any, those that called the runtime."""
    used = set(_distinct(tables, DEVICE_TABLES, "globalPid"))
    called = {number & ~_NUMBER for number in _distinct(tables, (RUNTIME,), "globalTid")}
    if used or called:
        return sorted(used or called)
    has_rows = any(next(tables.select(name, ("start",)), None) for name in (*DEVICE_TABLES, RUNTIME))
    return [0] if has_rows else []


def _not_read(tables: SqliteTables, process: int) -> tuple[str, ...]:
    """The tables of device work that have rows and that nothing here reads, and what graphs hide."""
    unread = tuple(name for name in UNREAD_TABLES if next(tables.select(name, ("start",)), None) is not None)
    hides_gaps = next(graphs(tables, process), None) is not None
    return (*unread, _GAPS_OF_GRAPHS) if hides_gaps else unread


def _distinct(tables: SqliteTables, names: Sequence[str], column: str) -> Iterator[int]:
    for name in names:
        if tables.has(name, column):
            seen = {row[0] for row in tables.select(name, (column,))}
            yield from (number for number in seen if isinstance(number, int))


def _devices(tables: SqliteTables) -> dict[int, str]:
    """The devices of CUDA; display adapters of others are listed as well, with no multiprocessor."""
    rows = tables.select("TARGET_INFO_GPU", ("cuDevice", "id", "name", "smCount"))
    of_cuda = ((cuda, number, name) for cuda, number, name, multiprocessors in rows if multiprocessors != 0)
    named = ((cuda if isinstance(cuda, int) else number, name) for cuda, number, name in of_cuda)
    return {number: str(name) for number, name in named if isinstance(number, int)}


def _base_time_ns(tables: SqliteTables) -> int:
    """What times are counted from: the start of the recording; 0 where it is not recorded."""
    return _integer(next(tables.select("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",)), (0,))[0])


def _host(tables: SqliteTables) -> str:
    rows = tables.select("TARGET_INFO_SYSTEM_ENV", ("name", "value"))
    return next((str(value) for name, value in rows if str(name).lower() == "hostname"), "")


def _integer(value: Any) -> int:
    return value if isinstance(value, int) else 0


Row = tuple[str, int, int, int, int, Mapping[str, Any]]

_KERNEL, _GRAPH, _MEMCPY, _MEMSET, _SYNC = (
    f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "GRAPH_TRACE", "MEMCPY", "MEMSET", "SYNCHRONIZATION")
)
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
DEVICE_TABLES = (_KERNEL, _GRAPH, _MEMCPY, _MEMSET)
UNREAD_TABLES = (
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    "DX12_WORKLOAD",
    "GPU_CONTEXT_SWITCH_EVENTS",
    "GPU_VIDEO_ENGINE_WORKLOAD",
    "OPENGL_WORKLOAD",
    "VULKAN_WORKLOAD",
)
"""Tables of what else occupies a device, and is no work of CUDA."""

_GAPS_OF_GRAPHS = "gaps inside CUDA graphs, which need nsys profile --cuda-graph-trace=node"

_LAST_NS = 2**53
"""Three months: the times of a recording count from its start, and a larger one is none."""

_PUSH_POP_RANGE = 59
_DIRECTIONS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP", 11: "HtoD", 12: "DtoH", 13: "DtoD"}
_DIRECTIONS |= {3: "HtoD", 4: "DtoH", 5: "DtoD", 6: "DtoD", 7: "DtoD"}  # Arrays lie on the device.
_DIRECTION_UNKNOWN = "Unknown"
_MEMORY = {0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed", 5: "Device", 6: "Managed"}
_SYNCS = {1: "Event Sync", 2: "Stream Wait Event", 3: "Stream Sync", 4: "Context Sync"}
_VERSION = re.compile(r"_v\d+(?:_ptsz|_ptds)?$")
"""Nsight Systems names the version of a call: `cudaMemcpyAsync_v3020`."""
_WIDE = 2
_IN_PROCESS = "(globalTid & ~16777215) = ?"
_OF_PROCESS = "globalPid = ?"
_PLACE = ("start", "end", "deviceId", "streamId", "contextId", "correlationId")


@dataclass(frozen=True, slots=True)
class Strings:
    """What rows name by a number."""

    by_id: Mapping[int, str]

    @classmethod
    def of(cls, tables: SqliteTables) -> Strings:
        return cls({number: _words(value) for number, value in tables.select("StringIds", ("id", "value"))})

    def __call__(self, number: Any) -> str:
        return self.by_id.get(number, "")


def kernels(tables: SqliteTables, strings: Strings, process: int) -> Iterator[Row]:
    dims = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
    names = ("demangledName", "shortName", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory")
    for row in _timed(tables, _KERNEL, (*_PLACE, *names, *dims), _OF_PROCESS, process):
        demangled, short, registers, static, dynamic = row[6:11]
        args = _args(row) | {"grid": row[11:14], "block": row[14:17]}
        args |= {"registers per thread": registers, "shared memory": _size(static) + _size(dynamic)}
        yield _device_row(strings(demangled) or strings(short) or "kernel", row, args)


def graphs(tables: SqliteTables, process: int) -> Iterator[Row]:
    """Whole graphs as one row a launch, as Nsight Systems records them unless it is asked for their nodes."""
    of_nodes = {row[5] for row in _timed(tables, _KERNEL, _PLACE, _OF_PROCESS, process)} - {None}
    for row in _timed(tables, _GRAPH, (*_PLACE, "graphId"), _OF_PROCESS, process):
        if row[5] not in of_nodes:
            yield _device_row(f"CUDA graph {_size(row[6])}", row, _args(row))


def copies(tables: SqliteTables, process: int) -> Iterator[Row]:
    columns = (*_PLACE, "bytes", "copyKind", "srcKind", "dstKind")
    for row in _timed(tables, _MEMCPY, columns, _OF_PROCESS, process):
        num_bytes, kind, source, target = row[6:]
        direction = _DIRECTIONS.get(kind, _DIRECTION_UNKNOWN)
        ends = f"{_MEMORY.get(source, 'Unknown')} -> {_MEMORY.get(target, 'Unknown')}"
        yield _device_row(f"Memcpy {direction} ({ends})", row, _args(row) | {"bytes": num_bytes})


def fills(tables: SqliteTables, process: int) -> Iterator[Row]:
    for row in _timed(tables, _MEMSET, (*_PLACE, "bytes", "memKind"), _OF_PROCESS, process):
        num_bytes, kind = row[6:]
        name = f"Memset ({_MEMORY.get(kind, 'Device')})"
        yield _device_row(name, row, _args(row) | {"bytes": num_bytes})


def synchronizations(tables: SqliteTables, process: int) -> Iterator[Row]:
    for row in _timed(tables, _SYNC, (*_PLACE, "syncType"), _OF_PROCESS, process):
        name = _SYNCS.get(row[6], "Synchronization")
        yield _device_row(name, row, _args(row) | {"cuda_sync_kind": name})


def runtime_calls(
    tables: SqliteTables, strings: Strings, process: int, pid: int
) -> Iterator[tuple[str, Iterable[Row]]]:
    """Calls of the runtime, and of the driver, which are of another category."""
    columns = ("start", "end", "globalTid", "correlationId", "nameId")
    for start, end, thread, correlation, name_id in _timed(tables, RUNTIME, columns, _IN_PROCESS, process):
        name = _VERSION.sub("", strings(name_id)) or "call"
        category = "cuda_runtime" if name.startswith("cuda") else "cuda_driver"
        args = {} if correlation is None else {"correlation": correlation}
        yield category, [(name, pid, _thread(thread), start, end, args)]


def ranges(
    tables: SqliteTables, strings: Strings, process: int, pid: int
) -> Iterator[tuple[str, Iterable[Row]]]:
    """The program's ranges of a thread; those that start in one and end in another are left out."""
    columns = ("start", "end", "globalTid", "text", "textId")
    where = f"eventType = {_PUSH_POP_RANGE} AND {_IN_PROCESS}"
    for start, end, thread, text, text_id in _timed(tables, "NVTX_EVENTS", columns, where, process):
        category, name = category_and_name(_words(text) if text else strings(text_id))
        yield category, [(name or "range", pid, _thread(thread), start, end, {})]


def thread_names(
    tables: SqliteTables, strings: Strings, process: int, pid: int
) -> Iterator[Mapping[str, Any]]:
    for name_id, thread in tables.select("ThreadNames", ("nameId", "globalTid"), _IN_PROCESS, (process,)):
        name = {"name": strings(name_id)}
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": _thread(thread), "ts": 0, "args": name}


def _timed(
    tables: SqliteTables, table: str, columns: tuple[str, ...], where: str, process: int
) -> Iterator[tuple[Any, ...]]:
    """The rows of a process with times that a recording can have; of all where the table tells no process."""
    names_process = tables.has(table, "globalTid" if "globalTid" in where else "globalPid")
    for row in tables.select(table, columns, *((where, (process,)) if names_process else ())):
        start, end = row[:2]
        if isinstance(start, int) and isinstance(end, int) and start >= -_LAST_NS and end <= _LAST_NS:
            yield row


def _device_row(name: str, row: tuple[Any, ...], args: Mapping[str, Any]) -> Row:
    return name, row[2] or 0, row[3] or 0, row[0], row[1], args


def _args(row: tuple[Any, ...]) -> dict[str, Any]:
    device, stream, context, correlation = row[2:6]
    args = {"device": device or 0, "context": context or 0, "stream": stream or 0}
    return args if correlation is None else args | {"correlation": correlation}


def _size(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _words(value: Any) -> str:
    """A text; what is stored as bytes is UTF-8, or of two bytes a letter as Windows has it."""
    if not isinstance(value, bytes):
        return str(value)
    is_wide = len(value) % _WIDE == 0 and not any(value[1::2])
    return value.decode("utf-16-le" if is_wide else "utf-8", "replace").replace("\0", "")


def _thread(global_tid: Any) -> int:
    return global_tid & 0xFFFFFF if isinstance(global_tid, int) else 0
