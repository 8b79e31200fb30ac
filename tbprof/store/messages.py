"""Records of the model to protobuf messages and back, field by field by name.

The messages of `report.proto` have the names and fields of the records of `tbprof.model`; a
test compares the two. What a message holds is not trusted: each value is checked against
the record's type.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar

from google.protobuf.message import Message

from tbprof.judge.words import verdict_figures
from tbprof.model import Check, CollectiveKey, Figures, Finding, Numbers, Remedy, StretchPart, Verdict
from tbprof.records import is_record
from tbprof.rules.words import found_figures, looked_at_figures, remedy_of
from tbprof.store import report_pb2

RecordT = TypeVar("RecordT")
_Read: TypeAlias = Callable[[Any], Any]

_SHARED = (CollectiveKey, StretchPart)
"""What all ranks of a job have in common: of a thousand reports, each is made once."""
_MOST_SHARED = 4096
_SHARED_BYTES = 512

_NUMBER_KINDS: dict[type, str] = {int: "integer", float: "real", str: "text"}

_BY_NAME: dict[tuple[type, str], _Read] = {
    (Finding, "figures"): lambda message: found_figures(message.rule, _numbers(message.numbers)),
    (Finding, "remedy"): lambda message: remedy_of(_numbers(message.numbers)),
    (Verdict, "figures"): lambda message: verdict_figures(message.case, _numbers(message.numbers)),
    (Check, "figures"): lambda message: looked_at_figures(message.rule, _numbers(message.numbers)),
}
"""Fields that are stored as the numbers of their record, and how they are read from its message."""


def to_message(record: Any) -> Message:
    """The message of a record, nested ones included; a None stays unset."""
    message = typing.cast("Message", getattr(report_pb2, type(record).__name__)())
    record_type: Any = type(record)
    for name, _ in _fields(record_type):
        _write(message, name, getattr(record, name))
    return message


def from_message(message: Message, record_type: type[RecordT]) -> RecordT:
    """The record of a message.

    Raises:
        ValueError: A value is none that the record allows; the message completes "it holds".
    """
    read: Callable[[Message], RecordT] = _reader(typing.cast("Any", record_type))
    return read(message)


@cache
def _fields(record_type: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(typing.get_type_hints(record_type).items())


def _write(message: Message, name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, Figures | Remedy):
        name, value = "numbers", value.numbers()
    target = getattr(message, name)
    if isinstance(value, tuple):
        target.extend(to_message(v) if is_record(v) else v for v in value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _write_item(target, key, item)
    elif is_record(value):
        target.CopyFrom(to_message(value))
    else:
        setattr(message, name, value)


def _write_item(target: Any, key: str, item: object) -> None:
    if is_record(item):
        target[key].CopyFrom(to_message(item))
    elif _holds_numbers(target):
        setattr(target[key], _NUMBER_KINDS[type(item)], item)
    else:
        target[key] = item


def _holds_numbers(target: Any) -> bool:
    value = target.GetEntryClass().DESCRIPTOR.fields_by_name["value"]
    return value.message_type is not None and value.message_type.name == "Number"


@cache
def _reader(record_type: Any) -> _Read:
    """A function compiled for this record, as its `__init__` is: a folder holds thousands of its messages."""
    scope: dict[str, Any] = {"_record": record_type}
    values = []
    for name, hint in _fields(record_type):
        if (record_type, name) in _BY_NAME:
            scope[f"_read_{name}"] = _BY_NAME[record_type, name]
            values.append(f"_read_{name}(message)")
            continue
        is_optional = typing.get_origin(hint) in (types.UnionType, typing.Union)
        read = _value_reader(typing.get_args(hint)[0] if is_optional else hint)
        scope[f"_read_{name}"] = read
        value = f"message.{name}" if read is _as_it_is else f"_read_{name}(message.{name})"
        values.append(f"{value} if message.HasField({name!r}) else None" if is_optional else value)
    exec(f"def read(message):\n return _record({', '.join(values)})", scope)
    return typing.cast("_Read", scope["read"])


def _value_reader(hint: Any) -> _Read:
    if hint == Numbers:
        return _numbers
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        read_one = _value_reader(parts[0])
        return tuple if read_one is _as_it_is else lambda values: tuple(map(read_one, values))
    if origin is typing.Literal:
        return _Words((word, word) for word in parts).__getitem__
    if isinstance(origin, type) and issubclass(origin, Mapping):
        read_one = _value_reader(parts[1])
        # A map of protobuf has another order in each process.
        return lambda values: {key: read_one(values[key]) for key in sorted(values)}
    if hint in _SHARED:
        return _known_or(_reader(hint))
    if is_record(hint):
        return _reader(hint)
    return _finite if hint is float else _as_it_is


def _known_or(read: _Read) -> _Read:
    known: dict[bytes, Any] = {}

    def read_or_known(message: Message) -> Any:
        data = message.SerializeToString()
        record = known.get(data)
        if record is None:
            record = read(message)
            if len(data) <= _SHARED_BYTES:
                if len(known) == _MOST_SHARED:
                    known.clear()
                known[data] = record
        return record

    return read_or_known


class _Words(dict[str, str]):
    """The words that the model knows."""

    def __missing__(self, word: str) -> str:
        raise ValueError(f"{word!r} where it can't be")


def _as_it_is(value: Any) -> Any:
    return value


def _numbers(values: Any) -> dict[str, int | float | str]:
    return {key: _number(values[key]) for key in sorted(values)}


def _number(value: Any) -> int | float | str:
    kind = value.WhichOneof("kind")
    if kind is None:
        raise ValueError("a number without a value")
    return typing.cast("int | float | str", _finite(getattr(value, kind)))


def _finite(value: Any) -> Any:
    """JSON knows neither NaN nor infinity, and no figure of a report is one."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} as a figure")
    return value
