"""CPY02: a pinned batch is copied, and the host waits for it."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS

LARGE = 19_267_584


def move(built: TraceBuilder, at: float, *, memory: str = "pinned", direction: str = "HtoD") -> None:
    """`x.to(device)`: 5 in the copy call, 100 in the synchronize behind it, under one op."""
    for name in ("aten::to", "aten::_to_copy", "aten::copy_"):
        built.op(name, at, at + 120)
    built.copy(direction, memory, at, at + 5, runs=(at + 6, at + 100), size_bytes=LARGE)
    built.synchronize("cudaStreamSynchronize", at + 6, at + 106)


def test_a_pinned_copy_that_waits_is_found_and_its_wait_can_go() -> None:
    (finding,) = found(each_step(move), "CPY02")

    assert (finding.removal, finding.count, finding.steps) == ("drop", 3, (0, 1, 2))
    assert finding.numbers() == {"bytes": 3 * LARGE}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * (120_000 + LINE_NS)
    assert finding.saving.estimate_ns is not None


@pytest.mark.parametrize("memory", ["pageable", ""])
def test_other_memory_is_silent(memory: str) -> None:
    assert found(each_step(lambda built, at: move(built, at, memory=memory)), "CPY02") == []


def test_a_read_is_silent() -> None:
    assert found(each_step(lambda built, at: move(built, at, direction="DtoH")), "CPY02") == []


def test_without_a_synchronize_it_is_as_it_should_be() -> None:
    def move_and_go(built: TraceBuilder, at: float) -> None:
        built.op("aten::copy_", at, at + 10)
        built.copy("HtoD", "pinned", at, at + 5, runs=(at + 6, at + 100), size_bytes=LARGE)

    assert found(each_step(move_and_go), "CPY02") == []


def test_one_synchronize_for_several_copies_is_wanted() -> None:
    def move_both(built: TraceBuilder, at: float) -> None:
        for start in (at, at + 10):
            built.op("aten::copy_", start, start + 6)
            built.copy("HtoD", "pinned", start, start + 5, runs=(start + 6, start + 15), size_bytes=LARGE)
        built.synchronize("cudaStreamSynchronize", at + 17, at + 30)

    assert found(each_step(move_both), "CPY02") == []


def test_a_copy_outside_of_copy_is_not_torch_s_and_silent() -> None:
    """Neither has an op: some library copied, and waited."""

    def copy_by_hand(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pinned", at, at + 5, runs=(at + 6, at + 100), size_bytes=LARGE)
        built.synchronize("cudaStreamSynchronize", at + 6, at + 106)

    assert found(each_step(copy_by_hand), "CPY02") == []


def test_trainings_that_ask_not_to_block_are_silent(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for file in ("hta_trace_diff/control.json.gz", "vllm_b200_tp8_eager/b200_eager.json.gz"):
        report = public_report(traces / file)
        assert any(copy.memory == "pinned" and copy.direction == "HtoD" for copy in report.copies)
        assert "CPY02" not in {finding.rule for finding in report.findings}


def moved(synchronizes: float) -> TraceBuilder:
    """A copy in an op of 10 us, and a synchronize that begins so long after the copy's call."""

    def move_and_wait(built: TraceBuilder, at: float) -> None:
        for name in ("aten::to", "aten::_to_copy", "aten::copy_"):
            built.op(name, at, at + 10)
        built.copy("HtoD", "pinned", at, at + 5, runs=(at + 6, at + 100), size_bytes=LARGE)
        built.synchronize("cudaStreamSynchronize", at + 5 + synchronizes, at + 9 + synchronizes)

    return each_step(move_and_wait)


CASES = (
    CheckCases(
        "CPY02",
        boundary="no threshold: a single synchronize that begins within the op of the copy",
        positive=lambda: each_step(move),
        negative=lambda: each_step(lambda built, at: move(built, at, memory="pageable")),
        least=lambda: moved(1),
        below=lambda: moved(6),
    ),
)
