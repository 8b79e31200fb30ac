"""A file of JSON that the hook leaves beside windows, as any of these is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from tbprof.errors import UsageError
from tbprof.safe_open import content_within

T = TypeVar("T")

_MOST_BYTES = 64 * 1024 * 1024

SCHEMA = 1
"""Of all these files; another version may have changed any."""


class HookFile(Generic[T]):
    """One kind of these files, which are small."""

    def __init__(self, tells: str, parse: Callable[[Any], T]) -> None:
        """Name the kind and how it is read.

        Args:
            tells: Completes "it does not tell".
            parse: Makes the record of the JSON, and raises whatever it does where that is damaged.
        """
        self._tells = tells
        self._parse = parse

    def read(self, path: Path) -> T:
        """What it says.

        Raises:
            UsageError: It can't be read, or is not such a file of this version.
        """
        try:
            content = content_within(path, _MOST_BYTES)
        except OSError as error:
            raise UsageError(f"{path} can't be read: {error.strerror}") from error
        return self.parsed(content, str(path))

    def parsed(self, content: bytes, name: str) -> T:
        """What the content of such a file says; `name` is how an error calls it.

        Raises:
            UsageError: It is no such file of this version.
        """
        try:
            said = json.loads(content)
            if said["schema"] != SCHEMA:
                raise UsageError(f"{name} was written by another version of tbprof: read it with that one")
            return self._parse(said)
        except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
            raise UsageError(f"{name} does not tell {self._tells}: it is damaged") from error
