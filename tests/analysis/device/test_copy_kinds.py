"""Direction and memory of a copy, on CUDA by its device row, on ROCm by its call."""

from __future__ import annotations

import pytest
from scenes import episodes_of
from trace_builder import TraceBuilder


@pytest.mark.parametrize("direction", ["HtoD", "DtoH"])
@pytest.mark.parametrize("memory", ["pageable", "pinned"])
def test_on_cuda_the_device_row_names_both(direction: str, memory: str) -> None:
    built = TraceBuilder()
    built.copy(direction, memory, 10, 20, runs=(12, 18))
    row = episodes_of(built.facts())[0]
    assert (row.direction, row.memory) == (direction, memory)


def test_either_side_in_pageable_memory_makes_it_pageable() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 20, runs=(12, 18))
    built.copy("HtoD", "pageable", 30, 40, runs=(32, 38))
    names = iter(["Memcpy HtoH (Pinned -> Pageable)", "Memcpy HtoH (Pageable -> Pinned)"])
    for event in built.events:
        if event.get("cat") == "gpu_memcpy":
            event["name"] = next(names)
    assert [(r.direction, r.memory) for r in episodes_of(built.facts())] == [("HtoH", "pageable")] * 2


def test_a_copy_within_the_device_has_no_memory_kind() -> None:
    built = TraceBuilder()
    built.copy("DtoD", "", 10, 20, runs=(12, 18))
    assert [(r.direction, r.memory) for r in episodes_of(built.facts())] == [("DtoD", "")]


@pytest.mark.parametrize("direction", ["HtoD", "DtoH", "DtoD"])
@pytest.mark.parametrize("memory", ["pageable", "pinned"])
def test_on_rocm_the_kind_of_the_call_decides_against_the_device_row(direction: str, memory: str) -> None:
    """A read into pinned memory is a `Memcpy DtoD` there, and would be missed."""
    built = TraceBuilder(vendor="hip")
    built.copy(direction, memory, 10, 20, runs=(12, 18))
    row = episodes_of(built.facts())[0]
    assert (row.direction, row.memory) == (direction, "")


def test_on_rocm_kinds_1_to_3_are_believed_whatever_the_device_row_says() -> None:
    built = TraceBuilder(vendor="hip")
    for start, kind in zip((0, 100, 200), "123", strict=True):
        built.copy("HtoD", "", start, start + 10, runs=(start + 2, start + 8), kind=kind)
    assert [row.direction for row in episodes_of(built.facts())] == ["HtoD", "DtoH", "DtoD"]


def test_on_rocm_kind_4_leaves_it_to_the_device_row() -> None:
    built = TraceBuilder(vendor="hip")
    built.copy("DtoH", "", 10, 20, runs=(12, 18), kind="4")
    built.copy("DtoH", "pinned", 30, 40, runs=(32, 38), kind="4")
    assert [row.direction for row in episodes_of(built.facts())] == ["DtoH", "DtoD"]


def test_on_rocm_a_call_without_a_device_row_has_no_direction() -> None:
    built = TraceBuilder(vendor="hip")
    built.copy("DtoH", "pinned", 10, 20, runs=None)
    built.launch(30, 31, runs=(32, 33))
    assert [row.direction for row in episodes_of(built.facts())] == [""]
