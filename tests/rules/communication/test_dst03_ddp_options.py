"""DST03: an option of DistributedDataParallel costs time in each step."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from communication_scenes import NAME, exchanging
from rule_scenes import found
from trace_builder import TraceBuilder

REDUCER = "torch.distributed.ddp.reducer::"


def training(steps: int = 2) -> TraceBuilder:
    """Steps of 10,000 us whose device computes from 2,000 to 8,000 us."""
    built = TraceBuilder()
    for start in (10_000.0 * number for number in range(steps)):
        built.step(int(start) // 10_000, start, start + 10_000)
        built.launch(start + 1, start + 2, runs=(start + 2_000, start + 8_000))
    return built


def copying_back(each: float) -> TraceBuilder:
    built = training()
    for start in (0.0, 10_000.0):
        built.op(f"{REDUCER}copy_bucket_to_grad", start + 7_000, start + 7_010, thread=200)
        built.launch(start + 7_001, start + 7_005, runs=(start + 8_000, start + 8_000 + each), thread=200)
    return built


@pytest.mark.parametrize(("each", "count"), [(9, 0), (10, 1)])
def test_copies_of_gradients_are_found_from_a_thousandth_of_the_steps_on(each: float, count: int) -> None:
    assert len(found(copying_back(each), "DST03")) == count


def test_what_they_take_is_named_with_the_option() -> None:
    (finding,) = found(copying_back(200), "DST03")
    assert (finding.numbers()["place"], finding.severity) == ("gradient_as_bucket_view=True", "medium")
    assert finding.saving is not None
    assert (finding.count, finding.saving.ceiling_ns) == (2, 2 * (200_000 + 4_000)), (
        "with the call that launches it"
    )


@pytest.mark.parametrize(("launched", "options"), [(105, ["broadcast_buffers=False"]), (205, [])])
def test_only_what_the_forward_sends_is_a_broadcast_of_buffers(launched: float, options: list[str]) -> None:
    built = training()
    for start in (0.0, 10_000.0):
        built.annotation("DistributedDataParallel.forward", start + 100, start + 200)
        at = start + launched
        runs = (start + 1_000, start + 1_100)
        built.launch(at, at + 1, runs=runs, name=NAME.replace("AllReduce", "Broadcast"), stream=20)
    assert [finding.numbers()["place"] for finding in found(built, "DST03")] == options


def test_a_search_for_unused_parameters_costs_the_idle_beside_it() -> None:
    built = training()
    for start in (0.0, 10_000.0):
        # The device is busy for the first 500 us of it.
        built.op(f"{REDUCER}search_unused_parameters", start + 7_500, start + 9_000)
    (finding,) = found(built, "DST03")
    assert finding.numbers()["place"] == "find_unused_parameters=False"
    assert finding.numbers()["per_step_ns"] == 1_000_000


CASES = (
    CheckCases(
        "DST03",
        boundary="a thousandth of the steps",
        positive=lambda: copying_back(200),
        negative=lambda: exchanging(400),
        least=lambda: copying_back(10),
        below=lambda: copying_back(9),
    ),
)
