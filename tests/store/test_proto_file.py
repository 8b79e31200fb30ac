"""The proto file follows the records: what they have and it lacks is added, and nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from tbprof.model import Numbers, Report
from tbprof.store import regenerate
from tbprof.store.regenerate import completed

PROTO = Path(regenerate.__file__).with_name("report.proto").read_text(encoding="utf-8")


def test_the_file_has_all_fields() -> None:
    assert completed(PROTO, Report) == PROTO


def test_a_field_that_is_missing_gets_the_next_number() -> None:
    message, end, _ = PROTO[PROTO.index("message Site {\n") :].partition("}\n")
    without_last = "".join(message.splitlines(keepends=True)[:-1])
    assert completed(PROTO.replace(message + end, without_last + end), Report) == PROTO


@dataclass(frozen=True)
class Leaf:
    name: str


@dataclass(frozen=True)
class Tree:
    kind: Literal["oak", "ash"]
    height: float | None
    leaves: tuple[Leaf, ...]
    counts: Mapping[str, int]
    numbers: Numbers
    is_old: bool


def test_a_record_without_a_message_gets_one() -> None:
    head = 'syntax = "proto3";\n\nmessage Tree {\n  string kind = 1;  // its kind\n  bool is_old = 7;\n}\n'
    assert completed(head, Tree) == (
        'syntax = "proto3";\n\nmessage Tree {\n  string kind = 1;  // its kind\n  bool is_old = 7;\n'
        "  optional double height = 8;\n  repeated Leaf leaves = 9;\n  map<string, int64> counts = 10;\n"
        "  map<string, Number> numbers = 11;\n}\n\nmessage Leaf {\n  string name = 1;\n}\n"
    )


def test_a_type_that_no_message_has_is_refused() -> None:
    @dataclass(frozen=True)
    class Odd:
        when: complex

    with pytest.raises(TypeError, match="no message has a field of"):
        completed("", Odd)
