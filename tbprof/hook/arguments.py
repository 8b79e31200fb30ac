"""How options are described to a command line, and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tbprof.errors import UsageError


def option(text: str, kind: Callable[[str], Any] | None = None) -> Mapping[str, Any]:
    """The metadata of a field of a record of options.

    Args:
        text: what it does, for the command line's help.
        kind: reads it from a command line; where it is None, the default's type does.
    """
    return {"help": text, "kind": kind}


def option_group(record: type, prefix: str = "") -> Mapping[str, Any]:
    """The same for a field that is a record of options itself; its names get a prefix on a command line."""
    return {"record": record, "prefix": prefix}


def check_whole_number(owner: str, name: str, value: object, *, least: int = 0) -> None:
    """Refuse what is no whole number, or less than `least`.

    Raises:
        UsageError: the sentence for the user; `owner` is the class that was given it.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{owner}: {name} is {value!r}; give a whole number.")
    if value < least:
        raise UsageError(f"{owner}: {name} is {value}; give {least} or more.")
