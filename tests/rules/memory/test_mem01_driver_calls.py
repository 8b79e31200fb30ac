"""MEM01: the allocator still asks the driver for memory when training is under way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from check_cases import CheckCases
from rule_scenes import each_step, found
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

STEPS = 6
"""Of which the last three are looked at."""


def allocating(
    *steps: int, call: str = "cudaMalloc", calls: int = 1, thread: int = MAIN, of: int = STEPS
) -> TraceBuilder:
    """Calls of 60 each under one operator, in these steps."""

    def allocate(built: TraceBuilder, at: float) -> None:
        if at // 1000 in steps:
            built.op("aten::empty", at, at + 60 * calls + 10, thread=thread)
            for number in range(calls):
                built.call(call, at + 60 * number, at + 60 * number + 60, thread=thread)

    return each_step(allocate, steps=of)


def test_calls_in_steady_steps_are_found_with_the_idle_that_they_cause() -> None:
    (finding,) = found(allocating(*range(STEPS), calls=2), "MEM01")

    assert (finding.removal, finding.severity, finding.steps) == ("rewrite", "high", (3, 4, 5))
    assert finding.numbers() == {
        "place": "aten::empty",
        "calls_per_step": 2,
        "call_per_step_ns": 120_000,
        "idle_per_step_ns": 120_000,
        "retries": 0,
    }
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 3 * 120_000)


@pytest.mark.parametrize("call", ["hipMalloc", "hipMemCreate", "cuMemMap", "cuMemCreate"])
def test_other_calls_that_allocate(call: str) -> None:
    assert len(found(allocating(4, 5, call=call), "MEM01")) == 1


@pytest.mark.parametrize(
    "built",
    [
        pytest.param(lambda: allocating(0, 1, 2), id="cache_that_fills"),
        pytest.param(lambda: allocating(4), id="a_single_larger_batch"),
        pytest.param(lambda: allocating(8, 9, of=10), id="fewer_than_half"),
        pytest.param(lambda: allocating(*range(STEPS), call="cudaMallocAsync"), id="stream_ordered"),
        pytest.param(lambda: allocating(*range(STEPS), call="cudaHostAlloc"), id="pinned_memory"),
        pytest.param(lambda: allocating(*range(STEPS), thread=SIDE), id="another_thread"),
    ],
)
def test_what_is_silent(built: Callable[[], TraceBuilder]) -> None:
    assert found(built(), "MEM01") == []


def test_an_emptied_cache_is_the_matter_of_another_rule() -> None:
    def flush(built: TraceBuilder, at: float) -> None:
        for number, call in enumerate(("cudaFree", "cudaFree", "cudaMalloc")):
            built.call(call, at + 50 * number, at + 50 * number + 40)

    report = each_step(flush, steps=STEPS)
    assert found(report, "MEM01") == []
    assert len(found(report, "MEM02")) == 1


CASES = (
    CheckCases(
        "MEM01",
        boundary="two of the last three steps",
        positive=lambda: allocating(*range(STEPS), calls=4),
        negative=lambda: allocating(0, 1),
        least=lambda: allocating(4, 5),
        below=lambda: allocating(5),
    ),
)
