"""SYN02: Python branches on a value that is on the device."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import CODES_OF_READS, each_step, found
from scenes import read_scalar
from trace_builder import TraceBuilder

READ = ("aten::item", "aten::_local_scalar_dense")


@pytest.mark.parametrize("op", ["aten::is_nonzero", "aten::equal", "aten::allclose"])
def test_each_question_of_truth_is_found_once(op: str) -> None:
    built = each_step(lambda built, at: read_scalar(built, at, wait=100, ops=(op, *READ), size_bytes=1))
    (finding,) = found(built, *CODES_OF_READS)
    assert (finding.rule, finding.removal, finding.count) == ("SYN02", "rewrite", 3)


def test_on_the_host_it_is_silent() -> None:
    built = each_step(lambda built, at: built.op("aten::is_nonzero", at, at + 100))
    assert found(built, *CODES_OF_READS) == []


def test_where_the_op_ends_before_the_read_it_is_silent() -> None:
    def ask(built: TraceBuilder, at: float) -> None:
        built.op("aten::is_nonzero", at - 10, at + 50)
        read_scalar(built, at, wait=100, size_bytes=1)

    assert found(each_step(ask), "SYN02") == []


def test_the_answer_is_a_read_and_an_upload_under_the_same_op_is_none() -> None:
    def ask(built: TraceBuilder, at: float) -> None:
        built.op("aten::equal", at, at + 200)
        built.op("aten::copy_", at, at + 50)
        built.copy("HtoD", "pageable", at, at + 10, runs=(at + 2, at + 8))
        built.synchronize("cudaStreamSynchronize", at + 11, at + 20)

    assert found(each_step(ask), *CODES_OF_READS) == []


def asked(ends: float) -> TraceBuilder:
    """One question a step; the call that reads the answer ends at 100."""

    def ask(built: TraceBuilder, at: float) -> None:
        built.op("aten::is_nonzero", at, at + ends)
        read_scalar(built, at, wait=100, size_bytes=1)

    return each_step(ask)


CASES = (
    CheckCases(
        "SYN02",
        boundary="no threshold: a single question, whose op holds the call that reads the answer",
        positive=lambda: asked(110),
        negative=lambda: each_step(lambda built, at: built.op("aten::is_nonzero", at, at + 100)),
        least=lambda: asked(100),
        below=lambda: asked(99),
    ),
)
