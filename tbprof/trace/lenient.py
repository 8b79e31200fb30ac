"""An event whose fields have odd types, read field by field."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias

import msgspec

from tbprof.trace.events import Event, Flow, Label, LabelArgs, Other, Slice, SliceArgs

__all__ = ["Loss", "decode_leniently"]

Loss: TypeAlias = Literal["damaged", "no_time", "not_an_object"]
"""Why an event gives no record: its text, a missing or impossible time, no JSON object at all."""

_DECODER = msgspec.json.Decoder(float_hook=Decimal)
_ARGS = {field.name: field.encode_name for field in msgspec.structs.fields(SliceArgs)}


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
            return Flow(_text(fields.get("cat")))
        case str():
            return Other()
        case _:
            return "damaged"


def _slice(fields: dict[str, Any]) -> Event | Loss:
    start, duration = _number(fields.get("ts")), _number(fields.get("dur"))
    if start is None or duration is None:
        return "no_time"
    name, category = _text(fields.get("name")), _text(fields.get("cat"))
    return Slice(start, duration, name, category, **_place(fields), args=_args(fields.get("args")))


def _place(fields: dict[str, Any]) -> dict[str, int | str]:
    return {
        key: value if isinstance(value, int) else _text(value)
        for key, value in (("pid", fields.get("pid")), ("tid", fields.get("tid")))
    }


def _args(fields: object) -> SliceArgs | None:
    if not isinstance(fields, dict):
        return None
    known: dict[str, Any] = {name: fields.get(key) for name, key in _ARGS.items()}
    correlation = _number(known.pop("correlation"))
    stack = _text(known.pop("call_stack"))
    rest = {name: _scalar(value) for name, value in known.items()}
    return SliceArgs(-1.0 if correlation is None else float(correlation), call_stack=stack, **rest)


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
