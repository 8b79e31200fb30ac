"""A chunk that is no valid JSON gives its whole events and a count of the rest."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from trace_samples import a_step, complete

from tbprof.trace.importers.kineto.events.events import Arrow, Instant, Label, Other, Slice
from tbprof.trace.importers.kineto.events.lenient import decode_leniently
from tbprof.trace.importers.kineto.events.salvage import salvage


def joined(*events: str) -> bytes:
    return ",\n  ".join(events).encode()


A, B, C = (json.dumps(complete(name, 1, 2)) for name in "abc")


def names(found: list) -> list[str]:
    return [event.name for event in found if isinstance(event, Slice)]


@pytest.mark.parametrize(
    ("between", "reason"),
    [
        ("null", "not_an_object"),
        ('{"ph": "X", "name": "half', "damaged"),
        ('{"ph": "X", "name": "b", "ts": 1, "dur": }', "damaged"),
        ('{"ph": "X", "name": "b", "args": {}}', "no_time"),
        ("oops", "damaged"),
    ],
)
def test_neighbors_of_a_broken_event_are_kept(between: str, reason: str) -> None:
    found = salvage(joined(A, between, C), last=False)

    assert names(found.events) == ["a", "c"]
    assert {key: count for key, count in found.lost.items() if count} == {reason: 1}
    assert not found.ended


def test_the_half_event_at_the_end_waits_for_more_bytes() -> None:
    chunk = joined(A, B, '{"ph": "X", "na')

    waiting = salvage(chunk, last=False)
    final = salvage(chunk, last=True)

    assert chunk[waiting.used_bytes :] == b'{"ph": "X", "na'
    assert waiting.lost.total() == 0
    assert final.used_bytes == len(chunk)
    assert final.lost["damaged"] == 1


def test_the_array_ends_where_its_bracket_is() -> None:
    chunk = joined(A, "null", B) + b'\n  ],\n  "traceName": "w"\n}'

    found = salvage(chunk, last=True)

    assert found.ended
    assert chunk[found.used_bytes :].startswith(b'],\n  "traceName"')


def test_objects_inside_an_event_are_no_events() -> None:
    inner = {"Parts": [{"name": "x", "ts": 1}, {"ph": "X", "name": "y", "ts": 1, "dur": 1}]}
    outer = json.dumps(complete("outer", 1, 2, **inner))

    found = salvage(joined(A, "null", outer, C), last=True)

    assert names(found.events) == ["a", "outer", "c"]


def test_a_lost_bracket_costs_its_own_event_only() -> None:
    open_list = json.dumps(complete("open", 1, 2, Dims=[[1, 2], [3]])).replace("[3]]", "[3]")
    surplus = json.dumps(complete("surplus", 1, 2, Dims=[[1, 2], [3]])).replace("[3]]", "[3]]]")

    found = salvage(joined(A, open_list, B, surplus, C), last=True)

    assert names(found.events) == ["a", "b", "c"]
    assert found.lost["damaged"] == 2


def test_repairs_are_counted() -> None:
    broken = A.replace('"a"', '"C:\\U\x01"')

    found = salvage(joined(broken, B), last=True)

    assert names(found.events) == ["C:\\U ", "b"]
    assert found.repaired == 1


def test_every_phase_is_read_field_by_field() -> None:
    read = [decode_leniently(json.dumps(event).encode()) for event in a_step()]

    kinds = [type(event) for event in read]
    assert kinds.count(Slice) == 8
    assert kinds.count(Arrow) == 1
    assert kinds.count(Label) == 3
    assert kinds.count(Other) == 1
    assert kinds.count(Instant) == 1
    first = read[0]
    assert isinstance(first, Slice)
    assert (first.ts, first.dur) == (Decimal("4000.125"), Decimal("900.5"))
