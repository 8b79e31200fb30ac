"""CPY10: a copy to the host is not waited for."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from trace_builder import TraceBuilder


def read(built: TraceBuilder, at: float) -> None:
    """`buffer.copy_(loss, non_blocking=True)` into pinned memory."""
    built.op("aten::copy_", at, at + 10)
    built.copy("DtoH", "pinned", at, at + 5, runs=(at + 6, at + 8), size_bytes=4)


def test_a_read_that_nobody_waits_for_is_found() -> None:
    (finding,) = found(each_step(read), "CPY10")

    assert (finding.severity, finding.removal, finding.confidence) == ("info", "needed", "low")
    assert (finding.saving, finding.sites) == (None, (0,))
    assert (finding.count, finding.steps) == (2, (0, 1)), "what follows the last step is not recorded"
    assert finding.numbers() == {"bytes": 8, "copies": 3}


@pytest.mark.parametrize("call", ["cudaEventSynchronize", "cudaStreamSynchronize", "cudaEventQuery"])
def test_who_waits_or_asks_knows_that_it_is_done(call: str) -> None:
    def read_and_wait(built: TraceBuilder, at: float) -> None:
        read(built, at)
        built.call(call, at + 20, at + 21)

    assert found(each_step(read_and_wait), "CPY10") == []


@pytest.mark.parametrize(("asked", "count"), [(1999.999, 0), (2000, 1)])
def test_until_the_end_of_the_next_step_one_may_ask(asked: float, count: int) -> None:
    assert len(found(asked_at(asked), "CPY10")) == count


def test_a_read_that_blocks_is_waited_for() -> None:
    def item(built: TraceBuilder, at: float) -> None:
        read(built, at)
        built.synchronize("cudaStreamSynchronize", at + 6, at + 9)

    assert found(each_step(item), "CPY10") == []


def test_an_upload_is_none() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pinned", at, at + 5, runs=(at + 6, at + 8), size_bytes=4)

    assert found(each_step(move), "CPY10") == []


def test_no_public_training_reads_what_it_did_not_wait_for(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for folder in ("hta_trace_diff", "dlrm_v100_8rank", "kineto_resnet50_nw4"):
        for path in (traces / folder).glob("*.gz"):
            assert "CPY10" not in {finding.rule for finding in public_report(path).findings}


def asked_at(asked: float) -> TraceBuilder:
    """The read is in the first of three steps of 1000 us."""
    built = each_step(lambda built, at: read(built, at) if at == 200 else None)
    built.call("cudaEventQuery", asked, asked + 1)
    return built


CASES = (
    CheckCases(
        "CPY10",
        boundary="the end of the next step, until which one may ask",
        positive=lambda: each_step(read),
        negative=lambda: asked_at(220),
        least=lambda: asked_at(2000),
        below=lambda: asked_at(1999.999),
    ),
)
