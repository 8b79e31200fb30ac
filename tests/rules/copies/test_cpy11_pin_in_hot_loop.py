"""CPY11: memory is pinned on the thread that trains."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder


def pin(built: TraceBuilder, at: float, *, thread: int = MAIN) -> None:
    """`x.pin_memory()` for 300, with the driver's call inside it."""
    built.op("aten::pin_memory", at, at + 300, thread=thread)
    built.op("aten::_pin_memory", at + 10, at + 290, thread=thread)
    built.call("cudaHostAlloc", at + 20, at + 120, thread=thread)


def test_pinning_in_each_step_is_found_once_a_step() -> None:
    (finding,) = found(each_step(pin), "CPY11")

    assert (finding.removal, finding.severity, finding.confidence) == ("rewrite", "medium", "high")
    assert (finding.count, finding.steps) == (2, (1, 2)), "memory is set up in the first step"
    assert finding.numbers() == {"call_ns": 2 * 300_000, "calls_per_step": 1.0}
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 2 * 300_000)


def test_a_buffer_that_the_driver_makes_in_each_step_is_found() -> None:
    def register(built: TraceBuilder, at: float) -> None:
        built.call("cudaHostRegister", at, at + 90)

    (finding,) = found(each_step(register), "CPY11")
    assert finding.numbers()["call_ns"] == 2 * 90_000


@pytest.mark.parametrize(("steps", "count"), [(2, 0), (3, 1)])
def test_fewer_than_half_of_the_steps_are_silent(steps: int, count: int) -> None:
    assert len(found(pinning_in(steps), "CPY11")) == count


def test_on_another_thread_it_is_silent() -> None:
    assert found(each_step(lambda built, at: pin(built, at, thread=SIDE)), "CPY11") == []


def test_inside_the_loader_it_is_silent() -> None:
    def load(built: TraceBuilder, at: float) -> None:
        built.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at - 5, at + 400)
        pin(built, at)

    assert found(each_step(load), "CPY11") == []


def test_a_single_step_is_less_sure() -> None:
    (finding,) = found(each_step(pin, steps=1), "CPY11")
    assert finding.confidence == "low"


def test_on_a_trace_of_the_cpu_it_has_no_saving() -> None:
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
        built.op("aten::pin_memory", 1000 * number + 100, 1000 * number + 200)
    (finding,) = found(built, "CPY11")
    assert (finding.saving, finding.severity) == (None, "info")


def test_a_training_that_pins_beside_a_busy_device_loses_nothing(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "test.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "CPY11"]
    assert (finding.severity, finding.count) == ("info", 5)


def pinning_in(steps: int) -> TraceBuilder:
    """In so many of seven steps, and in the first, in which memory is set up."""
    return each_step(lambda built, at: pin(built, at) if at <= 1000 * steps + 200 else None, steps=7)


CASES = (
    CheckCases(
        "CPY11",
        boundary="half of the steps but the first",
        positive=lambda: pinning_in(6),
        negative=lambda: each_step(lambda built, at: pin(built, at, thread=SIDE)),
        least=lambda: pinning_in(3),
        below=lambda: pinning_in(2),
    ),
)
