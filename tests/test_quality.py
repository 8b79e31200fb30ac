"""Checks of the source as a whole: lint, types, and files that must say the same in two languages."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import subprocess
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path

import pytest
from google.protobuf.descriptor import FieldDescriptor

from tbprof import model
from tbprof.store import report_pb2
from tbprof.store.regenerate import BY_NAME, stored_fields
from tbprof.views.typescript import typescript

REPOSITORY = Path(__file__).parents[1]


def run_tool(tool: str, *arguments: str) -> None:
    """Run a tool as the project's settings have it; skip where it is missing and not required."""
    if importlib.util.find_spec(tool) is None:
        if os.environ.get("TBPROF_REQUIRE_TOOLS") == "1":
            pytest.fail(f"TBPROF_REQUIRE_TOOLS is set and {tool} is not installed")
        pytest.skip(f"{tool} is not installed: pip install 'tbprof[test]'")
    command = [sys.executable, "-m", tool, *arguments]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"\n{ended.stdout}{ended.stderr}"


def test_ruff_finds_nothing() -> None:
    run_tool("ruff", "check", "--quiet", ".")


@pytest.mark.slow
def test_mypy_finds_nothing() -> None:
    run_tool("mypy", "--no-error-summary")


def test_the_frontend_knows_the_records_that_the_views_send() -> None:
    types_file = REPOSITORY / "plugin_frontend" / "src" / "api" / "types.ts"
    assert types_file.read_text(encoding="utf-8") == typescript()


MESSAGES = report_pb2.DESCRIPTOR.message_types_by_name
ENVELOPE = {"Envelope", "Number"}
"""Messages of the format itself, which stand for no record."""

FIELD = re.compile(r"(?:(optional|repeated) |(?=map<))?(map<\w+, ?\w+>|\w+) (\w+) = (\d+);")


def written_fields() -> dict[str, dict[str, tuple[str, int]]]:
    """What `report.proto` says: by message and field, its type with its label, and its number."""
    source = (REPOSITORY / "tbprof" / "store" / "report.proto").read_text(encoding="utf-8")
    bare = re.sub(r"//.*", "", source)
    return {
        message: {
            name: (f"{label} {kind}".strip(), int(number))
            for label, kind, name, number in FIELD.findall(body)
        }
        for message, body in re.findall(r"message (\w+) \{(.*?)\n\}", bare, flags=re.DOTALL)
    }


def generated_fields() -> dict[str, dict[str, tuple[str, int]]]:
    """The same of the generated code."""
    return {
        message: {field.name: (_type_of(field), field.number) for field in descriptor.fields}
        for message, descriptor in MESSAGES.items()
    }


def _type_of(field: FieldDescriptor) -> str:
    inner = field.message_type
    if inner is not None and inner.GetOptions().map_entry:
        return f"map<{_kind(inner.fields_by_name['key'])}, {_kind(inner.fields_by_name['value'])}>"
    if _is_repeated(field):
        return f"repeated {_kind(field)}"
    in_proto_oneof = field.containing_oneof is not None
    is_optional = in_proto_oneof and field.containing_oneof.name.startswith("_")
    return f"optional {_kind(field)}" if is_optional else _kind(field)


def _is_repeated(field: FieldDescriptor) -> bool:
    # Newer runtimes deprecate `label`.
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


def _kind(field: FieldDescriptor) -> str:
    if field.message_type is not None:
        return str(field.message_type.name)
    names = {getattr(field, name): name for name in dir(field) if name.startswith("TYPE_")}
    return names[field.type].removeprefix("TYPE_").lower()


def test_the_generated_code_is_that_of_the_proto_file() -> None:
    assert generated_fields() == written_fields()


PROTO_KINDS: dict[type, set[str]] = {
    str: {"string"},
    int: {"int64", "sint64"},
    bool: {"bool"},
    float: {"double"},
}


def _shapes(hint: typing.Any) -> set[str]:
    """How a field of this type may be written in the proto file."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return {f"optional {kind}" for kind in _shapes(parts[0])}
    if origin is tuple:
        return {f"repeated {kind}" for kind in _shapes(parts[0])}
    if origin is typing.Literal:
        return _shapes(type(parts[0]))
    if origin is Mapping:
        values = {"Number"} if typing.get_origin(parts[1]) else _shapes(parts[1])
        return {f"map<string, {kind}>" for kind in values}
    return (
        {hint.__name__}
        if dataclasses.is_dataclass(hint)
        else PROTO_KINDS[getattr(hint, "__supertype__", hint)]
    )


def test_a_message_has_the_fields_of_its_record() -> None:
    for message, written in written_fields().items():
        if message not in ENVELOPE:
            hints = stored_fields(getattr(model, message))
            assert set(written) == set(hints), message
            wrong = {name: kind for name, (kind, _) in written.items() if kind not in _shapes(hints[name])}
            assert wrong == {}, message


def test_every_record_of_a_report_has_a_message() -> None:
    def records(hint: typing.Any) -> set[str]:
        if hint in BY_NAME:
            return set()
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            inner = (records(part) for part in typing.get_type_hints(hint).values())
            return {hint.__name__}.union(*inner)
        return set().union(*(records(part) for part in typing.get_args(hint)))

    assert set(MESSAGES) - ENVELOPE == records(model.Report)
