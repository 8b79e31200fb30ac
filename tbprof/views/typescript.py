"""Print the views' records as TypeScript: `python -m tbprof.views.typescript > types.ts`.

A test compares the file in the frontend with what is printed here, so that the two
languages can't drift apart.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import sys
import textwrap
import types
import typing

from tbprof.views.screens import SCREENS

_SCALARS = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def typescript() -> str:
    """All records that the tab can be sent, as TypeScript interfaces, leaves first."""
    found: dict[str, type] = {}
    for screen in SCREENS:
        if screen.record is not None:
            _collect(screen.record, found)
    head = "// Printed by `python -m tbprof.views.typescript`; do not edit.\n"
    return head + "".join(f"\n{_interface(record)}" for record in found.values())


def _collect(record: type, found: dict[str, type]) -> None:
    for hint in typing.get_type_hints(record).values():
        for inner in _records_in(hint):
            _collect(inner, found)
    found.setdefault(record.__name__, record)


def _records_in(hint: object) -> list[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return [hint]
    return [inner for part in typing.get_args(hint) for inner in _records_in(part)]


def _interface(record: type) -> str:
    hints = typing.get_type_hints(record)
    docs = _docs(record)
    fields = "".join(f"{docs.get(name, '')}  {name}: {_type(hint)};\n" for name, hint in hints.items())
    return f"export interface {record.__name__} {{\n{fields}}}\n"


def _docs(record: type) -> dict[str, str]:
    """The string below each field, as a comment."""
    (written,) = ast.parse(textwrap.dedent(inspect.getsource(record))).body
    assert isinstance(written, ast.ClassDef)
    found = {}
    for field, below in itertools.pairwise(written.body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            text = inspect.cleandoc(ast.literal_eval(below.value)).replace("\n", "\n   * ")
            found[ast.unparse(field.target)] = f"  /** {text} */\n"
    return found


def _type(hint: object) -> str:
    hint = getattr(hint, "__supertype__", hint)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(_type(part) for part in parts)
    if origin is typing.Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin is tuple:
        element = _type(parts[0])
        return f"({element})[]" if " | " in element else f"{element}[]"
    # In Python 3.10 `dict[str, int]` is a type as well.
    if origin is None and isinstance(hint, type):
        return _SCALARS.get(hint, hint.__name__)
    raise TypeError(f"no TypeScript for {hint!r}")


if __name__ == "__main__":
    sys.stdout.write(typescript())
