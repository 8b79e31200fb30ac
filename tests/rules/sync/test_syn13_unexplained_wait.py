"""SYN13: host and device wait for something that is not recorded."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from scenes import gpu_bound, host_bound
from trace_builder import TraceBuilder

from tbprof.model import NotChecked


def shared_gpu(paused: float = 300, *, waits: bool = False) -> TraceBuilder:
    """In each step another process has the device for `paused`, while a kernel is queued."""
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 5, runs=(start + 8, start + 100))
        built.launch(start + 10, start + 15, runs=(start + 100 + paused, start + 500))
        if waits:
            built.synchronize("cudaStreamSynchronize", start + 600, start + 700)
        built.launch(start + 800, start + 805, runs=(start + 808, start + 1000))
    return built


def test_idle_with_work_in_the_queue_is_told_and_blames_nobody() -> None:
    (finding,) = found(shared_gpu(), "SYN13")
    assert (finding.severity, finding.removal, finding.sites, finding.count) == ("info", "needed", (), 2)
    assert finding.numbers() == {
        "queued_ns": 600_000,
        "queued_share": 0.3,
        "wait_ns": 0,
        "wait_share": 0.0,
    }
    assert (finding.steps, finding.evidence[0].kind) == ((1, 2), "idle")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 0


def test_a_wait_for_nothing_that_is_recorded_is_told() -> None:
    (finding,) = found(shared_gpu(paused=5, waits=True), "SYN13")
    assert (finding.numbers()["wait_ns"], finding.numbers()["queued_ns"]) == (2 * 95_000, 0)
    assert (finding.count, finding.evidence[0].kind) == (2, "wait")


@pytest.mark.parametrize(("memory", "count"), [("pageable", 0), ("pinned", 1)])
def test_what_the_host_stages_itself_is_no_riddle(memory: str, count: int) -> None:
    """The call takes 100 us longer than the transfer, and nothing else is recorded in them."""
    built = TraceBuilder()
    for number in range(4):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.copy(
            "HtoD", memory, start + 10, start + 210, runs=(start + 115, start + 205), size_bytes=1 << 20
        )
        built.synchronize("cudaStreamSynchronize", start + 211, start + 216)
        built.launch(start + 220, start + 225, runs=(start + 228, start + 1000))
    assert len(found(built, "SYN13")) == count


@pytest.mark.parametrize(("paused", "count"), [(10.01, 1), (10, 0)])
def test_up_to_one_percent_is_silent(paused: float, count: int) -> None:
    """1 % of a step is 10 us, which is also how far launches are apart by themselves."""
    assert len(found(shared_gpu(paused), "SYN13")) == count


@pytest.mark.parametrize("training", [gpu_bound, host_bound])
def test_waits_for_recorded_work_and_a_late_host_are_silent(training: Callable[[int], TraceBuilder]) -> None:
    assert found(training(4), "SYN13") == []


def test_without_steps_it_can_not_tell() -> None:
    built = TraceBuilder()
    built.launch(10, 15, runs=(500, 600))
    assert NotChecked("SYN13", "steps") in built.report().not_checked


def test_a_training_on_v100_waits_for_more_than_its_own_work(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "test.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "SYN13"]
    assert 0.01 < float(finding.numbers()["wait_share"]) < 0.02
    assert float(finding.numbers()["queued_share"]) < 0.01
    assert finding.severity == "info"


@pytest.mark.parametrize("folder", ["h100_transformer_clean", "hta_df_index_memory", "hta_nccl_ddp"])
def test_trainings_that_are_in_order_are_silent(
    traces: pathlib.Path, folder: str, public_report: PublicReport
) -> None:
    for path in (traces / folder).glob("*.gz"):
        assert [finding for finding in public_report(path).findings if finding.rule == "SYN13"] == []


CASES = (
    CheckCases(
        "SYN13",
        boundary="1 % of a step idle though work is queued",
        positive=lambda: shared_gpu(),
        negative=lambda: gpu_bound(4),
        least=lambda: shared_gpu(10.01),
        below=lambda: shared_gpu(10),
    ),
)
