"""The records of rocprofv3, as the rows that Kineto makes of the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from tbprof.errors import NotATrace, TraceTooLarge
from tbprof.trace.importers.kineto_writer import (
    Converted,
    KinetoWriter,
    category_and_name,
    writing,
)
from tbprof.trace.importers.source import open_source
from tbprof.trace.importers.unpacked import MAX_BYTES_VARIABLE, max_trace_bytes

_Row = tuple[str, int, int, int, int, Mapping[str, Any]]
_GPU = 2
"""The type of an agent that runs kernels; the others are processors."""
_DIRECTIONS = {
    "HOST_TO_DEVICE": "HtoD (Host -> Device)",
    "DEVICE_TO_HOST": "DtoH (Device -> Host)",
    "DEVICE_TO_DEVICE": "DtoD (Device -> Device)",
    "HOST_TO_HOST": "HtoH (Host -> Host)",
}
_MOST_JSON_BYTES = 2 * 1024**3
"""It is read in one piece, and takes several times its size then."""


def convert_rocprof(path: Path, folder: Path) -> Sequence[Converted]:
    """See `Converter.convert`.

    Raises:
        TraceError: The file is damaged, too large, or holds neither kernels nor calls.
    """
    processes = [process for process in _results(path).processes if _has_rows(process)]
    if not processes:
        raise NotATrace(
            f"{path} holds no kernels, copies or calls: "
            "record with rocprofv3 --runtime-trace --output-format json."
        )
    return [_write(process, number, path, folder) for number, process in enumerate(processes)]


def _results(path: Path) -> Results:
    with open_source(path) as source:
        pieces = bytearray()
        buffer = memoryview(bytearray(1 << 20))
        while count := source.readinto(buffer):
            pieces += buffer[:count]
            if len(pieces) > _MOST_JSON_BYTES:
                raise TraceTooLarge(
                    f"{path} is larger than {_MOST_JSON_BYTES:,} bytes, unpacked: record fewer steps "
                    f"({MAX_BYTES_VARIABLE} does not change this)."
                )
    try:
        # Names of kernels may hold any bytes.
        return msgspec.json.decode(pieces.decode("utf-8", "replace"), type=Results)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise NotATrace(f"{path} is damaged, or no JSON of rocprofv3 ({error}): record again.") from error


def _has_rows(process: Process) -> bool:
    records = process.buffer_records
    return bool(records.kernel_dispatch or records.memory_copy or records.hip_api)


def _write(process: Process, number: int, source: Path, folder: Path) -> Converted:
    pid, host = process.metadata.pid, process.metadata.node.hostname
    path = folder / f"{number}.trace.json.gz"
    gpus = sorted((agent for agent in process.agents if agent.type == _GPU), key=lambda agent: agent.node_id)
    devices = {gpu.id.handle: index for index, gpu in enumerate(gpus)}
    names = {index: gpu.product_name or gpu.name for index, gpu in enumerate(gpus)}
    with writing(path, str(source), max_trace_bytes(source.stat().st_size), names, 0) as writer:
        _write_rows(writer, process, devices, pid)
    return Converted(path, host, pid)


def _write_rows(writer: KinetoWriter, process: Process, devices: Mapping[int, int], pid: int) -> None:
    for category, row in _ranges(process, pid):
        writer.rows(category, [row])
    writer.rows("cuda_runtime", _calls(process, pid))
    writer.rows("kernel", _kernels(process, devices))
    writer.rows("gpu_memcpy", _copies(process, devices))


def _ranges(process: Process, pid: int) -> Iterator[tuple[str, _Row]]:
    texts = {text.key: text.value for text in process.strings.marker_api}
    for record in process.buffer_records.marker_api:
        text = texts.get(record.correlation_id.internal, "")
        if text and record.end_timestamp > record.start_timestamp:
            category, name = category_and_name(text)
            yield category, (name, pid, record.thread_id, record.start_timestamp, record.end_timestamp, {})


def _calls(process: Process, pid: int) -> Iterator[_Row]:
    for call in process.buffer_records.hip_api:
        args = {"correlation": call.correlation_id.internal}
        name = process.operation(call) or "hipCall"
        yield name, pid, call.thread_id, call.start_timestamp, call.end_timestamp, args


def _kernels(process: Process, devices: Mapping[int, int]) -> Iterator[_Row]:
    names = {
        symbol.kernel_id: symbol.formatted_kernel_name or symbol.kernel_name
        for symbol in process.kernel_symbols
    }
    for record in process.buffer_records.kernel_dispatch:
        info = record.dispatch_info
        device = devices.get(info.agent_id.handle, 0)
        stream = _stream(record.stream_id, info.queue_id)
        grid, block = info.grid_size, info.workgroup_size
        args = {
            **_place(device, stream, record.correlation_id.internal),
            # rocprofv3 counts a grid in threads, Kineto in blocks.
            "grid": [
                -(-grid.x // max(block.x, 1)),
                -(-grid.y // max(block.y, 1)),
                -(-grid.z // max(block.z, 1)),
            ],
            "block": [block.x, block.y, block.z],
        }
        name = names.get(info.kernel_id) or f"kernel {info.kernel_id}"
        yield name, device, stream, record.start_timestamp, record.end_timestamp, args


def _copies(process: Process, devices: Mapping[int, int]) -> Iterator[_Row]:
    for record in process.buffer_records.memory_copy:
        operation = process.operation(record)
        direction = next((shown for part, shown in _DIRECTIONS.items() if part in operation), "Unknown")
        # Of a copy between two devices, the one that gives runs it.
        ends = (record.src_agent_id.handle, record.dst_agent_id.handle)
        device = next((devices[handle] for handle in ends if handle in devices), 0)
        stream = _stream(record.stream_id, Handle())
        args = _place(device, stream, record.correlation_id.internal)
        if record.bytes is not None:
            args |= {"bytes": record.bytes}
        yield f"Memcpy {direction}", device, stream, record.start_timestamp, record.end_timestamp, args


def _stream(stream: Handle | None, queue: Handle) -> int:
    return (queue if stream is None else stream).handle & 0x7FFFFFFF


def _place(device: int, stream: int, correlation: int) -> dict[str, Any]:
    return {"device": device, "stream": stream, "correlation": correlation}


_LAST_NS = 2**63 - 1
Instant: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=_LAST_NS)]
"""In ns; a number beyond is none, as little as a text."""


class Handle(msgspec.Struct, frozen=True):
    handle: int = 0


class Correlation(msgspec.Struct, frozen=True):
    internal: int = 0


class Size(msgspec.Struct, frozen=True):
    x: int = 0
    y: int = 0
    z: int = 0


class Record(msgspec.Struct, frozen=True):
    start_timestamp: Instant
    end_timestamp: Instant
    kind: int = -1
    operation: int = -1
    thread_id: int = 0
    correlation_id: Correlation = Correlation()


class ApiCall(Record, frozen=True):
    """A call of HIP, or a range of the program."""


class DispatchInfo(msgspec.Struct, frozen=True):
    kernel_id: int = -1
    agent_id: Handle = Handle()
    queue_id: Handle = Handle()
    grid_size: Size = Size()
    workgroup_size: Size = Size()


class Dispatch(Record, frozen=True):
    dispatch_info: DispatchInfo = DispatchInfo()
    stream_id: Handle | None = None


class Copy(Record, frozen=True):
    src_agent_id: Handle = Handle()
    dst_agent_id: Handle = Handle()
    bytes: int | None = None
    stream_id: Handle | None = None


class BufferRecords(msgspec.Struct, frozen=True):
    kernel_dispatch: list[Dispatch] = []
    memory_copy: list[Copy] = []
    hip_api: list[ApiCall] = []
    marker_api: list[ApiCall] = []


class Kind(msgspec.Struct, frozen=True):
    kind: str = ""
    operations: list[str] = []


class MarkerText(msgspec.Struct, frozen=True):
    key: int = 0
    value: str = ""


class Strings(msgspec.Struct, frozen=True):
    buffer_records: list[Kind] = []
    marker_api: list[MarkerText] = []


class Symbol(msgspec.Struct, frozen=True):
    kernel_id: int = -1
    kernel_name: str = ""
    formatted_kernel_name: str = ""


class Agent(msgspec.Struct, frozen=True):
    id: Handle = Handle()
    type: int = 0
    node_id: int = 0
    name: str = ""
    product_name: str = ""


class Node(msgspec.Struct, frozen=True):
    hostname: str = ""


class Metadata(msgspec.Struct, frozen=True):
    pid: int = 0
    node: Node = Node()


class Process(msgspec.Struct, frozen=True):
    metadata: Metadata = Metadata()
    agents: list[Agent] = []
    kernel_symbols: list[Symbol] = []
    strings: Strings = Strings()
    buffer_records: BufferRecords = BufferRecords()

    def operation(self, record: Record) -> str:
        """The name of what a record is of; "" where the file tells none."""
        kinds: Any = self.strings.buffer_records
        if not 0 <= record.kind < len(kinds):
            return ""
        operations = kinds[record.kind].operations
        return operations[record.operation] if 0 <= record.operation < len(operations) else ""


class Results(msgspec.Struct, frozen=True):
    processes: list[Process] = msgspec.field(name="rocprofiler-sdk-tool", default_factory=list)
