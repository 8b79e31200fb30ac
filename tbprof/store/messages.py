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
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from google.protobuf.message import Message

from tbprof.model import Numbers
from tbprof.store import report_pb2

__all__ = ["from_message", "to_message"]

RecordT = TypeVar("RecordT")

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
    fields: Any = _fields(typing.cast("Any", record_type))
    return record_type(**{name: _read(message, name, hint) for name, hint in fields})


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


def _read(message: Message, name: str, hint: Any) -> Any:
    if hint == Numbers:
        return {key: _number(value) for key, value in getattr(message, name).items()}
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _read(message, name, parts[0]) if message.HasField(name) else None
    value = getattr(message, name)
    if origin is tuple:
        return tuple(_single(item, parts[0]) for item in value)
    if origin is not typing.Literal and isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _single(item, parts[1]) for key, item in value.items()}
    return _single(value, hint)


def _single(value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is typing.Literal:
        if value not in typing.get_args(hint):
            raise ValueError(f"{value!r} where it can't be")
        return value
    is_record = isinstance(hint, type) and dataclasses.is_dataclass(hint)
    return from_message(value, hint) if is_record else _finite(value)


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
