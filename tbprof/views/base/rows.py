"""A row that a screen shows of a record: its figures by their names, and what the screen adds."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar, cast

from tbprof.views.base.times import in_us

_Row = TypeVar("_Row")
_US, _NS = "_us", "_ns"


def row_of(row: type[_Row], record: object, **added: object) -> _Row:
    """The row of a record.

    Args:
        row: A field of it is the record's of the same name; of `wait_us` that is `wait_ns`.
        record: One of the model.
        added: The fields that the record has not, or not in this form.

    Raises:
        AttributeError: The row has a field that is neither the record's nor added.
    """
    taken: dict[str, Any] = {}
    for field in fields(cast("Any", row)):
        if field.name in added:
            continue
        in_ns = field.name.removesuffix(_US) + _NS
        is_time = field.name.endswith(_US) and hasattr(record, in_ns)
        taken[field.name] = in_us(getattr(record, in_ns)) if is_time else getattr(record, field.name)
    return row(**taken, **added)
