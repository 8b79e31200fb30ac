"""What of rocprofv3's JSON is read: the records of rocprofiler-sdk, by its own names."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

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
