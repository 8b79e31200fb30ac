"""The lists that columns of texts hold, such as `Trace.input_shapes`."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["listed"]


def listed(text: str) -> tuple[Any, ...]:
    """The entries of a list as `[[2,3],[]]`; none of "".

    Raises:
        ValueError: It is no list.
    """
    found = json.loads(text) if text else []
    if not isinstance(found, list):
        raise ValueError(f"{text!r} is no list")
    return tuple(found)
