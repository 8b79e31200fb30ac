"""The options of the hook on a command line, generated from their record."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from typing import Any, NoReturn

NO_USAGE = 2
"""The exit code of what could not be done."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one sentence; the list of options is long."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(NO_USAGE, f"tbprof: {message}; {self.prog} --help shows the options\n")


def add_options(parser: argparse.ArgumentParser, record: type) -> None:
    """Add an option for each field of a record of options, and of the records in it."""
    for name, field in _single_options(record):
        flag = f"--{name.replace('_', '-')}"
        text = f"{field.metadata['help']}{_default_in_words(field.default)}".replace("%", "%%")
        if isinstance(field.default, bool):
            parser.add_argument(
                flag, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=text
            )
        else:
            kind = _kind(field)
            metavar = "N" if kind in (int, float) else field.name.upper()
            parser.add_argument(flag, type=kind, metavar=metavar, default=argparse.SUPPRESS, help=text)


def options_of(given: argparse.Namespace, record: type, prefix: str = "") -> Any:
    """The record with what was given; the rest is as its defaults say.

    Raises:
        UsageError: something that was given can't be used.
    """
    values: dict[str, object] = {}
    for field in dataclasses.fields(record):
        name = f"{prefix}{field.name}"
        if "record" not in field.metadata:
            if hasattr(given, name):
                values[field.name] = getattr(given, name)
            continue
        inner, inner_prefix = field.metadata["record"], field.metadata["prefix"]
        if any(hasattr(given, inner_name) for inner_name, _ in _single_options(inner, inner_prefix)):
            values[field.name] = options_of(given, inner, inner_prefix)
    return record(**values)


def _single_options(record: type, prefix: str = "") -> Iterator[tuple[str, dataclasses.Field[Any]]]:
    """The fields that are no records, each with its name on the command line."""
    for field in dataclasses.fields(record):
        if "record" in field.metadata:
            yield from _single_options(field.metadata["record"], field.metadata["prefix"])
        else:
            yield f"{prefix}{field.name}", field


def _kind(field: dataclasses.Field[Any]) -> Any:
    return field.metadata["kind"] or (str if field.default is None else type(field.default))


def _default_in_words(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return "; default: yes" if default else "; default: no"
    return f"; default: {default}"
