"""What stands before and behind the events, whole, damaged or missing."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hook_facts import FACTS
from trace_samples import HEAD, TAIL, a_step, classic, health_numbers, write

from tbprof.trace.importers.kineto.events.metadata import read_metadata
from tbprof.trace.importers.kineto.reader import read_trace


def head(**members: Any) -> bytes:
    return (json.dumps(members)[:-1] + (", " if members else "") + '"traceEvents": ').encode()


def tail(**members: Any) -> bytes:
    return (f"], {json.dumps(members)[1:]}" if members else "]}").encode()


def test_members_may_stand_on_either_side() -> None:
    before = read_metadata(head(**HEAD, **TAIL), tail())
    behind = read_metadata(head(), tail(**HEAD, **TAIL))

    assert before == behind
    assert (before.rank, before.world_size) == (3, 8)
    assert before.device_names == {0: "NVIDIA H100 80GB HBM3"}
    assert before.origin_ns == 1751410836000000000
    assert not before.damaged


def test_a_bare_array_says_nothing_about_itself() -> None:
    metadata = read_metadata(b"", b"]")

    assert (metadata.rank, metadata.origin_ns, metadata.has_base_time) == (None, 0, False)
    assert not metadata.damaged


@pytest.mark.parametrize(
    "distributed",
    [
        None,
        [3],
        "rank 3",
        {},
        {"backend": "nccl"},
        {"rank": "3"},
        {"rank": True},
        {"rank": 0.5},
        {"rank": -1},
    ],
)
def test_a_rank_is_an_int_or_unknown(distributed: Any) -> None:
    assert read_metadata(head(distributedInfo=distributed), tail()).rank is None


@pytest.mark.parametrize("size", [0, -8, "8", None])
def test_a_world_has_a_rank_or_is_unknown(size: Any) -> None:
    assert read_metadata(head(distributedInfo={"rank": 0, "world_size": size}), tail()).world_size is None


@pytest.mark.parametrize("base", ["12", 1.5e18, 10**30, None])
def test_an_odd_base_time_is_none(base: Any) -> None:
    metadata = read_metadata(head(), tail(baseTimeNanoseconds=base))

    assert (metadata.origin_ns, metadata.has_base_time) == (0, False)


def test_odd_devices_are_passed_over() -> None:
    devices = [None, "A100", {"id": "0"}, {"name": "A100"}, {"id": 1}, {"id": 2, "name": "B200"}]

    assert read_metadata(head(deviceProperties=devices), tail()).device_names == {1: "", 2: "B200"}


def test_a_damaged_member_leaves_its_neighbors() -> None:
    broken = head(**HEAD).replace(b'"schemaVersion": 1', b'"schemaVersion": oops')

    metadata = read_metadata(broken, tail(**TAIL))

    assert metadata.damaged
    assert (metadata.rank, metadata.world_size) == (3, 8)
    assert metadata.device_names == {0: "NVIDIA H100 80GB HBM3"}
    assert metadata.origin_ns == 1751410836000000000


def test_a_windows_path_is_no_damage() -> None:
    windows = head(traceName="C:/Users/me").replace(b"C:/Users/me", b"C:\\Users\\me")

    assert not read_metadata(windows, tail(**HEAD)).damaged


def test_metadata_nested_without_end_is_passed_over() -> None:
    deep = head(deep=0, **HEAD).replace(b'"deep": 0', b'"deep": ' + b"[" * 100_000 + b"]" * 100_000)

    assert read_metadata(deep, tail()).rank == 3


def test_the_facts_of_the_hook(tmp_path: Any) -> None:
    content = classic(a_step(), head={"tbprof": {**dataclasses.asdict(FACTS), "added later": 1}, **HEAD})

    assert read_trace(write(tmp_path, content)).facts == FACTS


@pytest.mark.parametrize(
    "damage",
    [{"schema": 2}, {"worker": None}, {"options": {"with_stack": 3}}, {"device_names": "H100"}],
)
def test_damaged_facts_are_left_out_and_said(tmp_path: Any, damage: dict[str, Any]) -> None:
    facts = {**dataclasses.asdict(FACTS), **damage}

    trace = read_trace(write(tmp_path, classic(a_step(), head={"tbprof": facts, **HEAD})))

    assert trace.facts is None
    assert list(health_numbers(trace)) == ["facts_damaged"]
    assert trace.rank == 3
