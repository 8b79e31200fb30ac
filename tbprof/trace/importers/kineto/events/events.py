"""One event of a Kineto file as a record: the only place that knows the keys of events.

Those of its arguments are in `event_args`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from tbprof.records import dataclass
from tbprof.trace.columns.eras import KinetoCategory
from tbprof.trace.importers.kineto.events.event_args import InstantArgs, LabelArgs, SliceArgs, args_with

EVENT_KEYS = ("ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "s", "bp")
"""The keys an event of any era can begin with."""
MEMORY = "[memory]"
"""The name of the instants that are allocations."""

Clock = TypeVar("Clock", float, int, msgspec.Raw, Decimal)
Length = TypeVar("Length", float, int)
Args = TypeVar("Args", bound=SliceArgs)


class Slice(msgspec.Struct, Generic[Clock, Length, Args], tag_field="ph", tag="X", gc=False, kw_only=True):
    """A complete event; `ts` and `dur` in us.

    With `ts` as digits or Decimal, `dur` is a float: that is exact to the ns below 101 days. The fields are
    in Kineto's order: the decoder looks for a key after the last one first.
    """

    cat: KinetoCategory = KinetoCategory.OTHER
    name: str
    pid: int | str = ""
    tid: int | str = ""
    ts: Clock
    dur: Length
    args: Args | None = None


AnySlice: TypeAlias = "Slice[Any, Any, Any]"


class Label(msgspec.Struct, tag_field="ph", tag="M", gc=False):
    """An event of metadata: the name of a thread, of a process, or an order of sorting."""

    name: str = ""
    pid: int | str = ""
    tid: int | str = ""
    args: LabelArgs | None = None


class Arrow(msgspec.Struct, tag_field="ph", tag="s", gc=False):
    """The start of an arrow; its category tells the era."""

    cat: KinetoCategory = KinetoCategory.OTHER


class Instant(msgspec.Struct, Generic[Clock], tag_field="ph", tag="i", gc=False, kw_only=True):
    """A point in time, such as an allocation."""

    name: str = ""
    pid: int | str = ""
    tid: int | str = ""
    ts: Clock
    args: InstantArgs | None = None


class Other(msgspec.Struct, tag_field="ph", tag="I", gc=False):
    """An event that is counted and not kept."""


_OTHER_PHASES = "ftBECbneSTpFNODPRcvV"
"""The other phases of the Trace Event Format; `I` is that of `Other` itself."""
_OTHERS = tuple(
    msgspec.defstruct(f"Other{index}", [], bases=(Other,), tag=phase, gc=False)
    for index, phase in enumerate(_OTHER_PHASES)
)

_OtherInstant = msgspec.defstruct("OtherInstant", [], bases=(Other,), tag="i", gc=False)

Timed: TypeAlias = "AnySlice | Instant[Any]"
"""An event whose time is read."""
Event: TypeAlias = "Timed | Arrow | Label | Other"


def event_list_decoder(
    clock: type[Any], args: frozenset[str], *, has_memory: bool
) -> msgspec.json.Decoder[list[Event]]:
    """Decodes a JSON array of events, times as `clock`: float, int, msgspec.Raw or Decimal.

    What is neither among the fields of `SliceArgs` in `args` nor in every trace is not decoded, and the
    allocations only with `has_memory`. Its `decode` raises `msgspec.MsgspecError` or `UnicodeDecodeError`.
    """
    length: Any = int if clock is int else float
    record: Any = args_with(args)
    event: Any = Slice[clock, length, record] | Arrow | Label | Other  # type: ignore[valid-type]
    event = event | (Instant[clock] if has_memory else _OtherInstant)  # type: ignore[valid-type]
    for other in _OTHERS:
        event = event | other
    return msgspec.json.Decoder(list[event])


@dataclass(frozen=True, slots=True)
class Uniform:
    """What all rows of a chunk may share: Kineto writes most of them kind by kind and thread by thread."""

    are_slices: bool
    """Whether they are complete events; if not, they are allocations."""
    process: int | str
    thread: int | str
    category: KinetoCategory | None = None
    """The category of all of them; None where they may be of several."""


def uniform_list_decoder(
    uniform: Uniform, clock: type[Any], args: frozenset[str]
) -> msgspec.json.Decoder[list[Timed]]:
    """Decodes a JSON array of events that share what `uniform` says, and raises for any other event.

    The rest is as for `event_list_decoder`. No objects are made of what they share, nor of arguments that
    nobody wants.
    """
    fields: list[Any] = [("pid", Literal[uniform.process]), ("tid", Literal[uniform.thread]), ("ts", clock)]
    if uniform.are_slices:
        length: Any = int if clock is int else float
        of_several = ("cat", KinetoCategory, KinetoCategory.OTHER)
        category = of_several if uniform.category is None else ("cat", Literal[uniform.category.value])
        fields = [category, ("name", str), *fields, ("dur", length)]
        # Where none of them is wanted, nobody asks for them either.
        fields += [("args", args_with(args) | None, None)] if args else []
    else:
        fields = [("name", Literal[MEMORY]), *fields, ("args", InstantArgs | None, None)]
    # No tag: of a record that is alone, the decoder takes a missing one for the right one.
    phase = ("ph", Literal["X" if uniform.are_slices else "i"])
    record = msgspec.defstruct("UniformRow", [phase, *fields], gc=False, kw_only=True)
    return msgspec.json.Decoder(list[record])  # type: ignore[valid-type]
