"""The tables of an Nsight Systems export, as the rows that Kineto makes of the same CUPTI records.

Tables and numbers are those of NVIDIA's "SQLite Schema Reference" in the user guide of Nsight Systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tbprof.errors import NotATrace
from tbprof.records import dataclass
from tbprof.trace.importers.conversion.converted import Converted
from tbprof.trace.importers.conversion.kineto_writer import KinetoWriter, writing
from tbprof.trace.importers.conversion.nsight_rows import (
    DEVICE_TABLES,
    RUNTIME,
    Strings,
    copies,
    fills,
    kernels,
    ranges,
    runtime_calls,
    synchronizations,
    thread_names,
)
from tbprof.trace.importers.conversion.sqlite_tables import SqliteTables, open_tables
from tbprof.trace.importers.files.limits import max_trace_bytes

_THREAD_BITS = 24
_NUMBER = (1 << _THREAD_BITS) - 1
"""Of a process or thread: a serialized id holds the process's number above the thread's."""


@dataclass(frozen=True, slots=True)
class _Recording:
    tables: SqliteTables
    strings: Strings
    devices: Mapping[int, str]
    base_time_ns: int
    host: str


def convert_nsight(path: Path, folder: Path) -> Sequence[Converted]:
    """As `Converter.convert`.

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
    return Converted(path, recording.host, pid)


def _write_rows(writer: KinetoWriter, recording: _Recording, process: int, pid: int) -> None:
    tables, strings = recording.tables, recording.strings
    for event in thread_names(tables, strings, process, pid):
        writer.add(event)
    for category, rows in ranges(tables, strings, process, pid):
        writer.rows(category, rows)
    for category, rows in runtime_calls(tables, strings, process, pid):
        writer.rows(category, rows)
    writer.rows("kernel", kernels(tables, strings, process))
    writer.rows("gpu_memcpy", copies(tables, process))
    writer.rows("gpu_memset", fills(tables, process))
    writer.rows("cuda_sync", synchronizations(tables, process))


def _processes(tables: SqliteTables) -> list[int]:
    """Those that used a device; without any, those that called the runtime."""
    used = set(_distinct(tables, DEVICE_TABLES, "globalPid"))
    called = {number & ~_NUMBER for number in _distinct(tables, (RUNTIME,), "globalTid")}
    if used or called:
        return sorted(used or called)
    has_rows = any(next(tables.select(name, ("start",)), None) for name in (*DEVICE_TABLES, RUNTIME))
    return [0] if has_rows else []


def _distinct(tables: SqliteTables, names: Sequence[str], column: str) -> Iterator[int]:
    for name in names:
        if tables.has(name, column):
            seen = {row[0] for row in tables.select(name, (column,))}
            yield from (number for number in seen if isinstance(number, int))


def _devices(tables: SqliteTables) -> dict[int, str]:
    rows = tables.select("TARGET_INFO_GPU", ("cuDevice", "id", "name"))
    named = ((cuda if isinstance(cuda, int) else number, name) for cuda, number, name in rows)
    return {number: str(name) for number, name in named if isinstance(number, int)}


def _base_time_ns(tables: SqliteTables) -> int:
    """What times are counted from: the start of the recording; 0 where it is not told."""
    return _integer(next(tables.select("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",)), (0,))[0])


def _host(tables: SqliteTables) -> str:
    rows = tables.select("TARGET_INFO_SYSTEM_ENV", ("name", "value"))
    return next((str(value) for name, value in rows if str(name).lower() == "hostname"), "")


def _integer(value: Any) -> int:
    return value if isinstance(value, int) else 0
