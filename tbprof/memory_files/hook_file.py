"""A file of JSON that the hook leaves beside windows, as any of these is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tbprof.errors import UsageError

__all__ = ["SCHEMA", "content_of", "parsed_file"]

T = TypeVar("T")

SCHEMA = 1
"""Of all these files; another version may have changed any."""


def content_of(path: Path) -> bytes:
    """All of it; these files are small.

    Raises:
        UsageError: It can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from error


def parsed_file(content: bytes, name: str, parse: Callable[[Any], T], tells: str) -> T:
    """What the content of such a file says.

    Args:
        content: Of the whole file.
        name: How an error calls it.
        parse: Makes the record of the JSON, and raises whatever it does where that is damaged.
        tells: Completes "it does not tell".

    Raises:
        UsageError: It is no such file of this version.
    """
    try:
        said = json.loads(content)
        if said["schema"] != SCHEMA:
            raise UsageError(f"{name} was written by another version of tbprof: read it with that one")
        return parse(said)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
        raise UsageError(f"{name} does not tell {tells}: it is damaged") from error
