"""SYN06: the program tells the host to wait for the device."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder


def synchronizes(
    call: str = "cudaDeviceSynchronize", *, busy: float = 90, thread: int = MAIN, op: str = ""
) -> TraceBuilder:
    """A wait of 100 in each step, in whose first part the device works."""

    def wait(built: TraceBuilder, at: float) -> None:
        built.launch(at - 20, at - 15, runs=(at - 10, at + busy))
        if op:
            built.op(op, at, at + 100)
        built.synchronize(call, at, at + 100, thread=thread)

    built = each_step(wait)
    built.synchronize("cudaDeviceSynchronize", 3010, 3020)  # The profiler's own.
    return built


@pytest.mark.parametrize(
    ("call", "removal"),
    [("cudaDeviceSynchronize", "drop"), ("cudaStreamSynchronize", "drop"), ("cudaEventSynchronize", "defer")],
)
def test_a_synchronize_in_each_step_is_found(call: str, removal: str) -> None:
    (finding,) = found(synchronizes(call), "SYN06")
    assert (finding.removal, finding.count, finding.steps) == (removal, 3, (0, 1, 2))
    assert finding.numbers() == {"call": call}


def test_the_frame_of_the_program_is_its_source() -> None:
    built = synchronizes()
    built.frame("train.py(12): step", 0, 3005)
    built.frame("torch/cuda/__init__.py(980): synchronize", 195, 305)
    (finding,) = found(built, "SYN06")
    assert finding.confidence == "high"


@pytest.mark.parametrize(("busy", "count"), [(0, 0), (1, 1)])
def test_without_anything_to_wait_for_it_is_silent(busy: float, count: int) -> None:
    assert len(found(synchronizes(busy=busy), "SYN06")) == count


def test_inside_an_op_it_is_silent() -> None:
    assert found(synchronizes("cudaStreamSynchronize", op="aten::linalg_inv_ex"), "SYN06") == []


def test_on_a_side_thread_it_is_silent() -> None:
    assert found(synchronizes(thread=SIDE), "SYN06") == []


def test_between_the_steps_it_is_silent() -> None:
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 900)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 940))
        built.synchronize("cudaStreamSynchronize", start + 900, start + 950)
    assert built.report().sync_points.count == 3
    assert found(built, "SYN06") == []


def test_events_that_have_passed_are_looked_at_for_free(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """DDP looks at 24 events of its own, none of which is still to come."""
    report = public_report(traces / "hta_nccl_ddp" / "nccl_data.json.gz")
    assert report.sync_points.count == 24
    assert [finding for finding in report.findings if finding.rule == "SYN06"] == []


CASES = (
    CheckCases(
        "SYN06",
        boundary="no threshold: anything that the call waits for",
        positive=lambda: synchronizes(),
        negative=lambda: synchronizes(thread=SIDE),
        least=lambda: synchronizes(busy=1),
        below=lambda: synchronizes(busy=0),
    ),
)
