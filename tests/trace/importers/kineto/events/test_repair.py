"""Broken text is put right without touching what was right."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbprof.trace.importers.kineto.events.salvage import object_end, repair_text, shorten_nesting

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=12,
)
objects = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), values, max_size=4)


@given(objects, st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_means_the_same_afterwards(value: dict, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()

    assert json.loads(repair_text(text)) == value


@given(st.binary())
def test_any_bytes_become_utf_8_without_control_characters(text: bytes) -> None:
    repaired = repair_text(text)

    assert repaired.decode().encode() == repaired
    assert not any(byte < 0x20 for byte in repaired)


@pytest.mark.parametrize(
    ("broken", "meaning"),
    [
        (rb'"C:\Users\me"', "C:\\Users\\me"),
        (rb'"C:\\Users\u00e9"', "C:\\Users\u00e9"),
        (rb'"\ud83d\ude00 \ud83d! \ude00"', "\U0001f600 \ufffd! \ufffd"),
        (b'"a\x01\nb"', "a  b"),
        (b'"\xffa"', "\ufffda"),
        (b'{"a": NaN, "b": [-Infinity, nan, 1]}', {"a": None, "b": [None, None, 1]}),
        (rb'"end \\"', "end \\"),
    ],
)
def test_what_is_put_right(broken: bytes, meaning: object) -> None:
    assert json.loads(repair_text(broken)) == meaning


@given(objects, st.binary())
def test_an_object_ends_at_its_own_brace(value: dict, rest: bytes) -> None:
    text = json.dumps(value).encode()

    assert object_end(text + rest, 0, len(text + rest)) == len(text)
    assert object_end(text, 0, len(text) - 1) is None


@pytest.mark.slow
@given(objects)
def test_only_what_is_deeper_than_the_arguments_goes(value: dict) -> None:
    shortened = json.loads(shorten_nesting(json.dumps({"ph": "X", "args": value}).encode()))

    flat = {key: None if isinstance(inner, (dict, list)) else inner for key, inner in value.items()}
    assert shortened == {"ph": "X", "args": flat}
