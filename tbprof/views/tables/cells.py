"""Lists in cells as people read them: a grid by its three sizes, shapes by those of each tensor."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tbprof.trace.columns.listed import listed


@lru_cache(maxsize=4096)
def shown_list(text: str) -> str:
    """Of a list that is written as JSON; what is none stays as it is."""
    found = recorded_list(text)
    return text if found is None else written_list(found)


@lru_cache(maxsize=4096)
def recorded_list(text: str) -> list[Any] | None:
    """A list that is written as JSON; None where a recording holds something else in its place."""
    try:
        return list(listed(text))
    except ValueError:
        return None


def written_list(values: list[Any]) -> str:
    """A list of numbers is a size, one of lists the sizes of tensors; others are written one by one."""
    if values and all(isinstance(value, int | float) for value in values):
        return "\u00d7".join(map(str, values))
    return ", ".join(_element(value) for value in values)


def _element(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if not value:
        return "()"
    text = written_list(value)
    return f"[{text}]" if any(isinstance(inner, list) for inner in value) else text
