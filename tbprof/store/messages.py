"""Records of the model to protobuf messages and back, field by field by name.

The messages of `report.proto` have the names and fields of the records of `tbprof.model`; a
test compares the two. What a message holds is not trusted: each value is checked against
the record's type.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

from google.protobuf.message import Message

from tbprof.model import Numbers
from tbprof.store import report_pb2

__all__ = ["from_message", "to_message"]

RecordT = TypeVar("RecordT")
_Read: TypeAlias = Callable[[Any], Any]

_NUMBER_KINDS: dict[type, str] = {int: "integer", float: "real", str: "text"}


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
    reader = _reader(typing.cast("Any", record_type))
    values = list(reader.values_of(message))
    for at, read in reader.given:
        values[at] = read(values[at])
    for at, name, read in reader.optional:
        values[at] = read(values[at]) if message.HasField(name) else None
    return record_type(*values)


@cache
def _fields(record_type: Any) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(record_type)
    return tuple((field.name, hints[field.name]) for field in dataclasses.fields(record_type))


def _write(message: Message, name: str, value: object) -> None:
    if value is None:
        return
    target = getattr(message, name)
    if isinstance(value, tuple):
        target.extend(to_message(v) if dataclasses.is_dataclass(v) else v for v in value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _write_item(target, key, item)
    elif dataclasses.is_dataclass(value):
        target.CopyFrom(to_message(value))
    else:
        setattr(message, name, value)


def _write_item(target: Any, key: str, item: object) -> None:
    if dataclasses.is_dataclass(item):
        target[key].CopyFrom(to_message(item))
    elif _holds_numbers(target):
        setattr(target[key], _NUMBER_KINDS[type(item)], item)
    else:
        target[key] = item


def _holds_numbers(target: Any) -> bool:
    value = target.GetEntryClass().DESCRIPTOR.fields_by_name["value"]
    return value.message_type is not None and value.message_type.name == "Number"


@dataclasses.dataclass(frozen=True, slots=True)
class _Reader:
    """How a type's messages are read: found out once, for a folder holds thousands of its records."""

    values_of: Callable[[Message], Sequence[Any]]
    """All fields as the message has them, in the order of the record's."""
    given: tuple[tuple[int, _Read], ...]
    """Places of those that are something else in the record, and what makes that of them."""
    optional: tuple[tuple[int, str, _Read], ...]
    """Places and names of those that may be unset."""


@cache
def _reader(record_type: Any) -> _Reader:
    fields = _fields(record_type)
    get = operator.attrgetter(*(name for name, _ in fields))
    given: list[tuple[int, _Read]] = []
    optional: list[tuple[int, str, _Read]] = []
    for at, (name, hint) in enumerate(fields):
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if origin in (types.UnionType, typing.Union):
            optional.append((at, name, _value_reader(parts[0])))
        elif (read := _value_reader(hint)) is not _as_it_is:
            given.append((at, read))
    # Of a single name the getter gives no sequence.
    one: Callable[[Message], Sequence[Any]] = lambda message: (get(message),)  # noqa: E731
    return _Reader(get if len(fields) > 1 else one, tuple(given), tuple(optional))


def _value_reader(hint: Any) -> _Read:
    # A map of protobuf has another order in each process.
    if hint == Numbers:
        return lambda numbers: {key: _number(numbers[key]) for key in sorted(numbers)}
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        read_one = _value_reader(parts[0])
        return tuple if read_one is _as_it_is else lambda values: tuple(map(read_one, values))
    if origin is typing.Literal:
        return partial(_one_of, frozenset(parts))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        read_one = _value_reader(parts[1])
        return lambda values: {key: read_one(values[key]) for key in sorted(values)}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return lambda message: from_message(message, hint)
    return _finite if hint is float else _as_it_is


def _one_of(known: frozenset[Any], value: Any) -> Any:
    if value not in known:
        raise ValueError(f"{value!r} where it can't be")
    return value


def _as_it_is(value: Any) -> Any:
    return value


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
