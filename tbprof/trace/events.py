"""One event of a Kineto file as a record: the only place that knows the keys of events."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

__all__ = [
    "EVENT_KEYS",
    "NO_ARGS",
    "AnySlice",
    "Event",
    "Flow",
    "Label",
    "LabelArgs",
    "Other",
    "Scalar",
    "Slice",
    "SliceArgs",
    "event_list_decoder",
]

EVENT_KEYS = ("ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "s", "bp")
"""The keys an event of any era can begin with."""

Scalar: TypeAlias = "float | str | None"
Clock = TypeVar("Clock", float, int, Decimal)


class SliceArgs(
    msgspec.Struct,
    frozen=True,
    gc=False,
    rename={
        "awaited_stream": "wait_on_stream",
        "awaited_record": "wait_on_cuda_event_record_corr_id",
        "call_stack": "Call stack",
    },
):
    """The arguments of a complete event that tbprof reads. Ints are exact below 2^53."""

    correlation: float = -1.0
    device: Scalar = None
    stream: Scalar = None
    bytes: Scalar = None
    """ROCm gives it as a string on its copy calls."""
    kind: Scalar = None
    """On a ROCm copy call the direction, "1" to "4"; on GPU rows a word."""
    awaited_stream: Scalar = None
    awaited_record: Scalar = None
    call_stack: str = ""


NO_ARGS = SliceArgs()


class Slice(msgspec.Struct, Generic[Clock], tag_field="ph", tag="X", gc=False):
    """A complete event; `ts` and `dur` in us, as float, int or Decimal by the decoder's choice."""

    ts: Clock
    dur: Clock
    name: str
    cat: str = ""
    pid: int | str = ""
    tid: int | str = ""
    args: SliceArgs | None = None


AnySlice: TypeAlias = "Slice[Any]"


class LabelArgs(msgspec.Struct, frozen=True, gc=False):
    """`name` is there for `thread_name` and `process_name` only."""

    name: Scalar = None


class Label(msgspec.Struct, tag_field="ph", tag="M", gc=False):
    """An event of metadata: the name of a thread, of a process, or an order of sorting."""

    name: str = ""
    pid: int | str = ""
    tid: int | str = ""
    args: LabelArgs | None = None


class Flow(msgspec.Struct, tag_field="ph", tag="s", gc=False):
    """The start of an arrow; its category tells the era."""

    cat: str = ""


class Other(msgspec.Struct, tag_field="ph", tag="i", gc=False):
    """An event that is counted and not kept."""


_OTHER_PHASES = "ItfBECbneSTpFNODPRcvV"
"""The other phases of the Trace Event Format; `i` is that of `Other` itself."""
_OTHERS = tuple(
    msgspec.defstruct(f"Other{index}", [], bases=(Other,), tag=phase, gc=False)
    for index, phase in enumerate(_OTHER_PHASES)
)

Event: TypeAlias = "Slice[Any] | Label | Flow | Other"


def event_list_decoder(clock: type[float] | type[int] | type[Decimal]) -> msgspec.json.Decoder[list[Event]]:
    """Decodes a JSON array of events. Its `decode` raises `msgspec.MsgspecError` or `UnicodeDecodeError`."""
    event: Any = Slice[clock] | Label | Flow | Other  # type: ignore[valid-type]
    for other in _OTHERS:
        event = event | other
    return msgspec.json.Decoder(list[event])
