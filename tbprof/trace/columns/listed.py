"""The lists that columns of texts hold, such as `Trace.input_shapes`."""

from __future__ import annotations

import json
from typing import Any

_SHOWN = 40


def listed(text: str) -> tuple[Any, ...]:
    """The entries of a list as `[[2,3],[]]`; none of "".

    Raises:
        ValueError: It is no list.
    """
    try:
        found = json.loads(text, parse_constant=_no_number) if text else []
    except RecursionError as error:
        raise ValueError(f"a list within {text[:_SHOWN]!r} is too deep") from error
    if not isinstance(found, list):
        raise ValueError(f"{text!r} is no list")
    return tuple(found)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
