"""Which of idle, waits and computing comes first where none of them is large."""

from __future__ import annotations

import pytest
from first_said import said_of
from odd_recordings import A100, LOADER
from trace_builder import TraceBuilder


@pytest.mark.parametrize(
    ("kernel", "case", "first"),
    [
        ("ampere_sgemm_128x128_tn", "busy", "First: compute in mixed precision"),
        ("ampere_bf16_s16816gemm_bf16_128x128_tn", "input", "First: "),
    ],
)
def test_products_that_can_win_more_than_all_idle_come_before_it(kernel: str, case: str, first: str) -> None:
    """The loader takes 3.9 of 37 ms; then the host runs ahead of 30 products in float32, or in bfloat16."""
    built = TraceBuilder()
    built.device_name = A100
    built.launch(2, 8, runs=(10, 110), name=kernel)
    built.annotation(LOADER, 20, 4_000)
    for turn in range(30):
        call, begins = 4_010 + 20.0 * turn, 4_030 + 1_100.0 * turn
        built.op("aten::mm", call - 2, call + 8)
        built.launch(call, call + 6, runs=(begins, begins + 1_100), name=kernel)
    built.synchronize("cudaDeviceSynchronize", 4_700, 37_040)
    found, said = said_of(built)
    assert found == case
    assert said.action.startswith(first)


@pytest.mark.parametrize(
    ("refill_us", "late_us", "case"), [(100, 10, "busy"), (250, 10, "waits"), (100, 250, "host_bound")]
)
def test_a_trifle_is_no_cause_beside_what_follows_waits(refill_us: float, late_us: float, case: str) -> None:
    """A synchronize each ms that no range explains, and pauses of `late_us` between two kernels.

    Idle for a seventh of the time after waits that can't go is no cause that anybody could change.
    """
    built = TraceBuilder()
    at = 0.0
    for turn in range(12):
        built.annotation(f"part_{turn}", at, at + refill_us + 1_000)
        for index in range(2):
            call = at + refill_us + (450 + late_us) * index
            built.op("aten::mm", call - 2, call + 8)
            built.launch(call, call + 6, runs=(call + 10, call + 460))
        end = at + refill_us + 910 + late_us
        built.synchronize("cudaDeviceSynchronize", at + refill_us + 500 + late_us, end + 3)
        at = end + 5
    assert said_of(built)[0] == case
