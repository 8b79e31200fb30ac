"""Checks of numbers that users give; a wrong one is said by its name."""

from __future__ import annotations

from tbprof.errors import UsageError

__all__ = ["check_whole_number"]


def check_whole_number(owner: str, name: str, value: object, *, least: int = 0) -> None:
    """Refuse what is no whole number, or less than `least`.

    Raises:
        UsageError: the sentence for the user; `owner` is the class that was given it.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{owner}: {name} is {value!r}; give a whole number.")
    if value < least:
        raise UsageError(f"{owner}: {name} is {value}; give {least} or more.")
