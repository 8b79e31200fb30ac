"""CPY01: a batch is copied to the device from pageable memory."""

from __future__ import annotations

import pytest
from rule_scenes import each_step, found
from scenes import upload
from trace_builder import TraceBuilder

LARGE = 19_267_584
"""128 images of 224 x 224."""


def uploads(size_bytes: int = LARGE) -> TraceBuilder:
    return each_step(lambda built, at: upload(built, at, wait=100, size_bytes=size_bytes))


def test_a_batch_in_each_step_is_found() -> None:
    (finding,) = found(uploads(), "CPY01")
    assert (finding.removal, finding.count, finding.steps) == ("rewrite", 3, (0, 1, 2))
    assert finding.numbers == {"bytes": 3 * LARGE, "call_ns": 300_000}


@pytest.mark.parametrize(("size_bytes", "count"), [(65_536, 0), (65_537, 1)])
def test_up_to_64_kb_the_driver_takes_it_at_once(size_bytes: int, count: int) -> None:
    assert len(found(uploads(size_bytes), "CPY01")) == count


def test_from_pinned_memory_it_is_silent() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pinned", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)
        built.synchronise("cudaStreamSynchronize", at + 101, at + 110)

    assert found(each_step(move), "CPY01") == []


def test_where_the_memory_is_not_recorded_it_is_silent() -> None:
    built = TraceBuilder(vendor="hip")
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
        start = 1000 * number + 100
        built.copy("HtoD", "pageable", start, start + 100, runs=(start + 2, start + 98), size_bytes=LARGE)
    assert built.report().copies[0].bytes == 3 * LARGE
    assert found(built, "CPY01") == []


def test_a_read_is_silent() -> None:
    def read(built: TraceBuilder, at: float) -> None:
        built.copy("DtoH", "pageable", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)

    assert found(each_step(read), "CPY01") == []


@pytest.mark.parametrize(("number", "count"), [(0, 0), (1, 1)])
def test_in_the_first_step_alone_a_model_is_moved(number: int, count: int) -> None:
    def move(built: TraceBuilder, at: float) -> None:
        if at == 1000.0 * number + 200:
            upload(built, at, wait=100, size_bytes=LARGE)

    assert len(found(each_step(move), "CPY01")) == count


def test_before_the_steps_a_model_is_moved() -> None:
    built = each_step(lambda built, at: built.op("aten::add", at, at + 1))
    upload(built, -500, wait=100, size_bytes=LARGE)
    assert found(built, "CPY01") == []


def test_a_window_of_one_step_can_not_tell_and_says_it() -> None:
    built = each_step(lambda built, at: upload(built, at, wait=100, size_bytes=LARGE), steps=1)
    assert len(found(built, "CPY01")) == 1


def test_a_copy_that_never_blocked_has_nothing_to_win_by_waits() -> None:
    """Without a synchronise a large upload does not block by our count."""

    def move(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pageable", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)

    (finding,) = found(each_step(move), "CPY01")
    assert finding.saving is not None
    assert (finding.saving.ceiling_ns, finding.severity) == (0, "info")
