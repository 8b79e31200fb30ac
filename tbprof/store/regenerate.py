"""Bring the protobuf of stored reports up to the records: `python -m tbprof.store.regenerate`.

First `report.proto` gets the fields that the records have and it lacks, then its code is generated.

The generator is one old version, whose output runs on every protobuf from 4.25 on. It needs an
older protobuf than tbprof's own, therefore pip puts it into a temporary folder. Its wheels are for
Python 3.12 and earlier.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import tempfile
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tbprof.model import Figures, Remedy, Report, StoredNumbers

_MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}\n", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^ *(?:[\w<>, ]+) (\w+) = (\d+);", re.MULTILINE)
BY_NAME = (Figures, Remedy)
"""What is stored by the names of its fields."""

_KINDS = {str: "string", int: "int64", bool: "bool", float: "double"}


def completed(proto: str, root: type[Any]) -> str:
    """The text of the file with all fields of `root` and of the records below it.

    Raises:
        TypeError: A field has a type that no message can have.
    """
    for record in dict.fromkeys(_records(root)):
        name = record.__name__
        found = next((found for found in _MESSAGE.finditer(proto) if found[1] == name), None)
        if found is None:
            proto += f"\nmessage {name} {{\n{_lines(record, '')}}}\n"
        else:
            proto = proto[: found.end(2)] + _lines(record, found[2]) + proto[found.end(2) :]
    return proto


def stored_fields(record: type[Any]) -> dict[str, Any]:
    """The types of a message's fields: figures, and what is stored beside them, are one map of numbers."""
    fields: dict[str, Any] = {}
    for name, hint in typing.get_type_hints(record).items():
        kinds = typing.get_args(hint) or (hint,)
        fields |= {"numbers": StoredNumbers} if kinds[0] in BY_NAME else {name: hint}
    return fields


def _lines(record: type[Any], body: str) -> str:
    """The lines of the fields that a message's body lacks."""
    numbers = {name: int(number) for name, number in _FIELD.findall(body)}
    missing = [(name, hint) for name, hint in stored_fields(record).items() if name not in numbers]
    first = max(numbers.values(), default=0) + 1
    return "".join(f"  {_kind(hint)} {name} = {first + at};\n" for at, (name, hint) in enumerate(missing))


def _kind(hint: Any) -> str:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return f"optional {_kind(parts[0])}"
    if origin is tuple:
        return f"repeated {_kind(parts[0])}"
    if origin is typing.Literal:
        return _kind(type(parts[0]))
    if origin is Mapping:
        return f"map<string, {'Number' if typing.get_origin(parts[1]) else _kind(parts[1])}>"
    if dataclasses.is_dataclass(hint):
        return str(getattr(hint, "__name__", hint))
    plain = getattr(hint, "__supertype__", hint)
    if plain not in _KINDS:
        raise TypeError(f"no message has a field of {hint!r}")
    return _KINDS[plain]


def _records(hint: Any) -> Iterator[type[Any]]:
    """The records of a type, those that others hold first."""
    if hint in BY_NAME:
        return
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        for inner in typing.get_type_hints(hint).values():
            yield from _records(inner)
        yield hint
    for part in typing.get_args(hint):
        yield from _records(part)


GENERATOR = ("grpcio-tools==1.62.3", "protobuf==4.25.9", "setuptools<80")
"""It imports `pkg_resources`, which later setuptools no longer have."""

_PROTO = Path("tbprof", "store", "report.proto")
_ROOT = Path(__file__).parents[2]


def regenerate(target: Path = _ROOT) -> None:
    """Write `report_pb2.py` and `report_pb2.pyi` below `target`, in the package's folders.

    Raises:
        CalledProcessError: pip or the generator failed; its own message is on stderr.
    """
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", "--target", folder]
        subprocess.run([*pip, *GENERATOR], check=True)
        outputs = [f"--python_out={target}", f"--pyi_out={target}"]
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", "-I.", *outputs, _PROTO.as_posix()],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": folder},
            check=True,
        )


def complete_proto_file() -> None:
    """Add to `report.proto` what the records of the model have and it lacks."""
    path = _ROOT / _PROTO
    path.write_text(completed(path.read_text(encoding="utf-8"), Report), encoding="utf-8")


if __name__ == "__main__":
    complete_proto_file()
    regenerate()
