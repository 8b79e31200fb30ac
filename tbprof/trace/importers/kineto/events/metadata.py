"""What a file says about itself, before and after its events."""

from __future__ import annotations

import json as json_module
import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from tbprof.model import FACTS_SCHEMA, HookFacts
from tbprof.records import dataclass
from tbprof.trace.columns.joined_inputs import INPUTS_KEY, JoinedInputs
from tbprof.trace.importers.kineto.events.salvage import UNDECODABLE, repair_text

_ALL_KEYS = ("distributedInfo", "deviceProperties", "baseTimeNanoseconds", "displayTimeUnit", "tbprof")
_PREFIX_DECODER = json_module.JSONDecoder()
_RANGE = 2**63


@dataclass(frozen=True, slots=True)
class Metadata:
    """The members of the file's object that tbprof reads."""

    rank: int | None
    world_size: int | None
    device_names: Mapping[int, str]
    origin_ns: int
    """0 where the file gives no base time."""
    has_base_time: bool
    """Whether the file has a mark of 2024 or later: a base time or a unit to display."""
    facts: HookFacts | None
    facts_damaged: bool
    inputs: JoinedInputs | None
    """The inputs of the steps that the hook recorded beside the window."""
    versions: Mapping[str, int]
    """The number of `cupti`, and the CUDA that `runtime` and `driver` are made for: 12010 is 12.1."""
    damaged: bool
    """Whether a part of it could not be read."""


def read_metadata(head: bytes, tail: bytes) -> Metadata:
    """The metadata between the file's `{` and its events, and from their closing `]` on."""
    members: dict[str, Any] = {}
    damaged = False
    for json in (_object_of_head(head), _object_of_tail(tail)):
        found = _decode_object(json)
        damaged = damaged or found is None
        members |= found if found is not None else _rescue(json)
    facts, facts_damaged = _facts(members)
    distributed = _dict(members.get("distributedInfo"))
    base_time = _integer(members.get("baseTimeNanoseconds"))
    return Metadata(
        rank=_at_least(0, distributed.get("rank")),
        world_size=_at_least(1, distributed.get("world_size")),
        device_names=_device_names(members.get("deviceProperties")),
        origin_ns=base_time or 0,
        has_base_time=base_time is not None or "displayTimeUnit" in members,
        facts=facts,
        facts_damaged=facts_damaged,
        inputs=None if facts is None else _inputs(members["tbprof"]),
        versions=_versions(members),
        damaged=damaged,
    )


_VERSIONS = {
    "cupti": "cupti_version",
    "runtime": "cuda_runtime_version",
    "driver": "cuda_driver_version",
}


def _versions(members: Mapping[str, Any]) -> dict[str, int]:
    found = {name: _at_least(1, members.get(key)) for name, key in _VERSIONS.items()}
    return {name: version for name, version in found.items() if version is not None}


def _object_of_head(head: bytes) -> bytes:
    return head + b"null}" if head else b"{}"


def _object_of_tail(tail: bytes) -> bytes:
    members = tail.lstrip(b"] \t\r\n,").rstrip()
    return b"{" + members if members else b"{}"


def _decode_object(json: bytes) -> dict[str, Any] | None:
    for text in (json, repair_text(json)):
        try:
            found = msgspec.json.decode(text)
        except UNDECODABLE:
            continue
        if isinstance(found, dict):
            return found
    return None


def _rescue(json: bytes) -> dict[str, Any]:
    """The wanted members of an object that is damaged elsewhere."""
    text = repair_text(json).decode()
    found: dict[str, Any] = {}
    for key in _ALL_KEYS:
        value = re.search(rf'"{key}"\s{{0,200}}:\s{{0,200}}', text)
        if value is None:
            continue
        try:
            found[key], _ = _PREFIX_DECODER.raw_decode(text, value.end())
        except (ValueError, RecursionError):
            continue
    return found


def _facts(members: Mapping[str, Any]) -> tuple[HookFacts | None, bool]:
    if "tbprof" not in members:
        return None, False
    try:
        facts = msgspec.convert(members["tbprof"], HookFacts)
    except msgspec.ValidationError:
        return None, True
    return (facts, False) if facts.schema == FACTS_SCHEMA else (None, True)


def _inputs(facts: Mapping[str, Any]) -> JoinedInputs | None:
    try:
        given = msgspec.convert(facts.get(INPUTS_KEY), JoinedInputs | None)
    except msgspec.ValidationError:
        return None
    return given if given is not None and given.is_sound() else None


def _device_names(devices: object) -> dict[int, str]:
    found = {}
    for device in devices if isinstance(devices, list) else ():
        number = _integer(_dict(device).get("id"))
        if number is not None:
            name = device.get("name")
            found[number] = name if isinstance(name, str) else ""
    return found


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _at_least(least: int, value: object) -> int | None:
    number = _integer(value)
    return None if number is None or number < least else number


def _integer(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return cast(int, value) if whole and abs(cast(int, value)) < _RANGE else None
