"""One event of a Kineto file as a record: the only place that knows the keys of events."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

__all__ = [
    "ABSENT",
    "EVENT_KEYS",
    "NO_ARGS",
    "AnySlice",
    "Event",
    "Flow",
    "FlowEnd",
    "Instant",
    "InstantArgs",
    "Label",
    "LabelArgs",
    "Other",
    "Scalar",
    "Slice",
    "SliceArgs",
    "Timed",
    "event_list_decoder",
]

EVENT_KEYS = ("ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "s", "bp")
"""The keys an event of any era can begin with."""

Scalar: TypeAlias = "float | str | None"
Clock = TypeVar("Clock", float, int, msgspec.Raw, Decimal)
Length = TypeVar("Length", float, int)

_RENAMED = {
    "concrete_inputs": "Concrete Inputs",
    "input_types": "Input type",
    "input_shapes": "Input Dims",
    "external_id": "External id",
    "external_id_2021": "external id",
    "sequence_number": "Sequence number",
    "forward_thread": "Fwd thread id",
    "call_stack": "Call stack",
    "python_parent": "Python parent id",
    "python_id": "Python id",
    "python_module": "Python module id",
    "sync_kind": "cuda_sync_kind",
    "awaited_stream": "wait_on_stream",
    "awaited_record": "wait_on_cuda_event_record_corr_id",
    "registers_per_thread": "registers per thread",
    "shared_memory_bytes": "shared memory",
    "blocks_per_sm": "blocks per SM",
    "warps_per_sm": "warps per SM",
    "occupancy_percent": "est. achieved occupancy %",
    "copy_kind": "kind",
    "graph": "graph id",
    "graph_node": "graph node id",
    "collective_name": "Collective name",
    "collective_dtype": "dtype",
    "group_size": "Group size",
    "in_message_elements": "In msg nelems",
    "out_message_elements": "Out msg nelems",
    "process_group": "Process Group Name",
    "process_group_ranks": "Process Group Ranks",
}
ABSENT = msgspec.Raw()
"""What stands for raw JSON that is not there; compare by identity."""


class SliceArgs(msgspec.Struct, frozen=True, gc=False, rename=_RENAMED):
    """The arguments of a complete event that tbprof reads. Ints are exact below 2^53.

    What most rows have stands first, and then each key near the one that Kineto writes before
    it: the decoder looks for a key behind the last one first. A number that is not there is -1.
    """

    external_id: Scalar = -1.0
    correlation: float = -1.0
    python_parent: Scalar = -1.0
    python_id: Scalar = -1.0
    python_module: Scalar = -1.0
    sequence_number: Scalar = -1.0
    forward_thread: Scalar = -1.0
    concrete_inputs: msgspec.Raw = ABSENT
    input_types: msgspec.Raw = ABSENT
    input_shapes: msgspec.Raw = ABSENT
    call_stack: msgspec.Raw = ABSENT
    device: Scalar = -1.0
    stream: Scalar = -1.0
    registers_per_thread: Scalar = -1.0
    shared_memory_bytes: Scalar = -1.0
    blocks_per_sm: Scalar = -1.0
    warps_per_sm: Scalar = -1.0
    grid: msgspec.Raw = ABSENT
    block: msgspec.Raw = ABSENT
    occupancy_percent: Scalar = -1.0
    graph: Scalar = -1.0
    graph_node: Scalar = -1.0
    bytes: Scalar = 0.0
    """ROCm gives it as a string on its copy calls."""
    copy_kind: Scalar = 0.0
    """On a ROCm copy call the direction, "1" to "4"; on GPU rows a word."""
    sync_kind: msgspec.Raw = ABSENT
    awaited_stream: Scalar = -1.0
    awaited_record: Scalar = -1.0
    collective_name: msgspec.Raw = ABSENT
    in_message_elements: Scalar = -1.0
    out_message_elements: Scalar = -1.0
    group_size: Scalar = -1.0
    collective_dtype: msgspec.Raw = ABSENT
    process_group: msgspec.Raw = ABSENT
    process_group_ranks: msgspec.Raw = ABSENT
    external_id_2021: Scalar = -1.0


NO_ARGS = SliceArgs()


class Slice(msgspec.Struct, Generic[Clock, Length], tag_field="ph", tag="X", gc=False):
    """A complete event; `ts` and `dur` in us.

    With `ts` as digits or Decimal, `dur` is a float: that is exact to the ns below 101 days.
    """

    ts: Clock
    dur: Length
    name: str
    cat: str = ""
    pid: int | str = ""
    tid: int | str = ""
    args: SliceArgs | None = None


AnySlice: TypeAlias = "Slice[Any, Any]"


class LabelArgs(msgspec.Struct, frozen=True, gc=False):
    """`name` is there for `thread_name` and `process_name` only."""

    name: Scalar = None


class Label(msgspec.Struct, tag_field="ph", tag="M", gc=False):
    """An event of metadata: the name of a thread, of a process, or an order of sorting."""

    name: str = ""
    pid: int | str = ""
    tid: int | str = ""
    args: LabelArgs | None = None


class Flow(msgspec.Struct, Generic[Clock], tag_field="ph", tag="s", gc=False):
    """The start of an arrow; its category tells the era."""

    ts: Clock
    id: int | str = ""
    cat: str = ""
    pid: int | str = ""
    tid: int | str = ""


class FlowEnd(Flow[Clock], tag_field="ph", tag="f", gc=False):
    """The head of an arrow."""


class InstantArgs(
    msgspec.Struct,
    frozen=True,
    gc=False,
    rename={
        "total_reserved_bytes": "Total Reserved",
        "total_allocated_bytes": "Total Allocated",
        "bytes": "Bytes",
        "address": "Addr",
        "device": "Device Id",
        "device_type": "Device Type",
    },
):
    """The arguments of a `[memory]` event. Totals are -1 where the allocator keeps none."""

    total_reserved_bytes: Scalar = -1.0
    total_allocated_bytes: Scalar = -1.0
    bytes: Scalar = 0.0
    address: Scalar = -1.0
    device: Scalar = -1.0
    device_type: Scalar = -1.0


class Instant(msgspec.Struct, Generic[Clock], tag_field="ph", tag="i", gc=False):
    """A point in time, such as an allocation."""

    ts: Clock
    name: str = ""
    pid: int | str = ""
    tid: int | str = ""
    args: InstantArgs | None = None


class Other(msgspec.Struct, tag_field="ph", tag="I", gc=False):
    """An event that is counted and not kept."""


_OTHER_PHASES = "tBECbneSTpFNODPRcvV"
"""The other phases of the Trace Event Format; `I` is that of `Other` itself."""
_OTHERS = tuple(
    msgspec.defstruct(f"Other{index}", [], bases=(Other,), tag=phase, gc=False)
    for index, phase in enumerate(_OTHER_PHASES)
)

Timed: TypeAlias = "AnySlice | Flow[Any] | Instant[Any]"
"""An event whose time is read."""
Event: TypeAlias = "Timed | Label | Other"


def event_list_decoder(clock: type[Any]) -> msgspec.json.Decoder[list[Event]]:
    """Decodes a JSON array of events, times as `clock`: float, int, msgspec.Raw or Decimal.

    Its `decode` raises `msgspec.MsgspecError` or `UnicodeDecodeError`.
    """
    length: Any = int if clock is int else float
    timed: Any = Slice[clock, length] | Flow[clock] | FlowEnd[clock] | Instant[clock]  # type: ignore[valid-type]
    event: Any = timed | Label | Other
    for other in _OTHERS:
        event = event | other
    return msgspec.json.Decoder(list[event])
