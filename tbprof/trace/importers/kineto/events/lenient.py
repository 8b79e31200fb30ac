"""An event whose fields have odd types, read field by field."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from tbprof.trace.columns.eras import KinetoCategory
from tbprof.trace.importers.kineto.events.event_args import InstantArgs, LabelArgs, SliceArgs, declared_fields
from tbprof.trace.importers.kineto.events.events import Arrow, Event, Instant, Label, Other, Slice

Loss: TypeAlias = Literal["damaged", "no_time", "out_of_range", "not_an_object"]
"""Why an event gives no record: its text, no number as time, one too large, no JSON object at all."""

_Args = TypeVar("_Args", SliceArgs, InstantArgs)

_DECODER = msgspec.json.Decoder(float_hook=Decimal)
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def decode_leniently(json: bytes) -> Event | Loss:
    """The event that `json` spells, with times as Decimal, or why there is none.

    Raises:
        msgspec.DecodeError, RecursionError: it is no valid JSON, or too deep.
    """
    fields = _DECODER.decode(json)
    if not isinstance(fields, dict):
        return "not_an_object"
    match fields.get("ph"):
        case "X":
            return _slice(fields)
        case "M":
            args = fields.get("args")
            name = args.get("name") if isinstance(args, dict) else None
            return Label(_text(fields.get("name")), **_place(fields), args=LabelArgs(_text(name)))
        case "s":
            return Arrow(KinetoCategory(_text(fields.get("cat"))))
        case "i":
            return _instant(fields)
        case str():
            return Other()
        case _:
            return "damaged"


def _slice(fields: dict[str, Any]) -> Event | Loss:
    start, duration = _number(fields.get("ts")), _number(fields.get("dur"))
    if start is None or duration is None:
        return "no_time"
    name, category = _text(fields.get("name")), KinetoCategory(_text(fields.get("cat")))
    args = _args(fields.get("args"), SliceArgs)
    return Slice(ts=start, dur=float(duration), name=name, cat=category, **_place(fields), args=args)


def _instant(fields: dict[str, Any]) -> Event:
    time = _number(fields.get("ts"))
    if time is None:
        # Nothing but its time is of use.
        return Other()
    args = _args(fields.get("args"), InstantArgs)
    return Instant(ts=time, name=_text(fields.get("name")), **_place(fields), args=args)


def _place(fields: dict[str, Any]) -> dict[str, int | str]:
    return {
        # To Python a truth value is an integer, too.
        key: value if type(value) is int else _text(value)
        for key, value in (("pid", fields.get("pid")), ("tid", fields.get("tid")))
    }


def _args(fields: object, record: type[_Args]) -> _Args | None:
    if not isinstance(fields, dict):
        return None
    known = {
        field.name: _as(field.type, fields[field.encode_name])
        for field in declared_fields(record)
        if field.encode_name in fields
    }
    return record(**{name: value for name, value in known.items() if value is not None})


def _as(kind: object, value: object) -> Any:
    """`value` as a field of type `kind` holds it; None for the field's default."""
    if kind is msgspec.Raw:
        return msgspec.Raw(_ENCODER.encode(value))
    if kind is not float:
        return _scalar(value)
    number = _number(value)
    return None if number is None else float(number)


def _scalar(value: object) -> float | str | None:
    if isinstance(value, str):
        return value
    number = _number(value)
    return None if number is None else float(number)


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
