"""SYN04: a tensor is copied to the host in the step."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import CODES_OF_READS, each_step, found
from scenes import read_scalar
from trace_builder import TraceBuilder

COPY = ("aten::to", "aten::_to_copy", "aten::copy_")


def copies(*ops: str, size_bytes: int = 4096) -> TraceBuilder:
    return each_step(
        lambda built, at: read_scalar(built, at, wait=100, ops=(*ops, *COPY), size_bytes=size_bytes)
    )


def test_a_cpu_in_each_step_is_found() -> None:
    (finding,) = found(copies(), *CODES_OF_READS)
    assert (finding.rule, finding.removal, finding.count) == ("SYN04", "defer", 3)
    assert finding.numbers() == {"bytes": 3 * 4096, "median_bytes": 4096}


@pytest.mark.parametrize(("size_bytes", "count"), [(16, 0), (17, 1)])
def test_up_to_16_bytes_it_is_a_scalar(size_bytes: int, count: int) -> None:
    assert len(found(copies(size_bytes=size_bytes), "SYN04")) == count


@pytest.mark.parametrize("op", ["aten::nonzero", "aten::equal", "aten::_unique2"])
def test_what_an_op_reads_to_answer_is_silent(op: str) -> None:
    assert found(copies(op), "SYN04") == []


def test_a_copy_into_pinned_memory_that_does_not_block_is_silent() -> None:
    def cpu(built: TraceBuilder, at: float) -> None:
        built.op("aten::copy_", at, at + 100)
        built.copy("DtoH", "pinned", at, at + 10, runs=(at + 12, at + 14), size_bytes=4096)

    assert found(each_step(cpu), *CODES_OF_READS) == []


def test_an_upload_is_silent() -> None:
    def upload(built: TraceBuilder, at: float) -> None:
        built.op("aten::copy_", at, at + 100)
        built.copy("HtoD", "pageable", at, at + 10, runs=(at + 2, at + 8), size_bytes=4096)
        built.synchronize("cudaStreamSynchronize", at + 11, at + 20)

    assert found(each_step(upload), *CODES_OF_READS) == []


CASES = (
    CheckCases(
        "SYN04",
        boundary="more than the 16 bytes of a scalar",
        positive=lambda: copies(),
        negative=lambda: copies("aten::nonzero"),
        least=lambda: copies(size_bytes=17),
        below=lambda: copies(size_bytes=16),
    ),
)
