"""Records of the model to protobuf messages and back, field by field by name.

The messages of `report.proto` have the names and fields of the records of `tbprof.model`; a
test compares the two. What a message holds is not trusted: each value is checked against
the record's type.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

from google.protobuf.message import Message

from tbprof.model import Numbers
from tbprof.store import report_pb2

__all__ = ["from_message", "to_message"]

RecordT = TypeVar("RecordT")
_FieldReader: TypeAlias = Callable[[Message, str], Any]

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
    readers = _readers(typing.cast("Any", record_type))
    return record_type(**{name: read(message, name) for name, read in readers})


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


@cache
def _readers(record_type: Any) -> tuple[tuple[str, _FieldReader], ...]:
    """By field how its type is read: found out once a type, for a folder holds thousands of its records."""
    return tuple((name, _field_reader(hint)) for name, hint in _fields(record_type))


def _field_reader(hint: Any) -> _FieldReader:
    if hint == Numbers:
        return lambda message, name: {key: _number(one) for key, one in getattr(message, name).items()}
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        read_known = _field_reader(parts[0])
        return lambda message, name: read_known(message, name) if message.HasField(name) else None
    if origin is tuple:
        read_one = _value_reader(parts[0])
        return lambda message, name: tuple(map(read_one, getattr(message, name)))
    if origin is not typing.Literal and isinstance(origin, type) and issubclass(origin, Mapping):
        read_one = _value_reader(parts[1])
        return lambda message, name: {key: read_one(one) for key, one in getattr(message, name).items()}
    read_value = _value_reader(hint)
    return lambda message, name: read_value(getattr(message, name))


def _value_reader(hint: Any) -> Callable[[Any], Any]:
    if typing.get_origin(hint) is typing.Literal:
        return partial(_one_of, frozenset(typing.get_args(hint)))
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
