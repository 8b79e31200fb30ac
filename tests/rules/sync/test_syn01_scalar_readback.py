"""SYN01: a scalar is read back in the step."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import CODES_OF_READS, each_step, found
from scenes import read_scalar
from trace_builder import TraceBuilder

READ = ("aten::item", "aten::_local_scalar_dense")


def reads(*ops: str, size_bytes: int = 4) -> TraceBuilder:
    return each_step(
        lambda built, at: read_scalar(built, at, wait=100, ops=(*ops, *READ), size_bytes=size_bytes)
    )


def test_an_item_in_each_step_is_found() -> None:
    (finding,) = found(reads(), *CODES_OF_READS)

    assert (finding.rule, finding.removal, finding.count) == ("SYN01", "defer", 3)
    assert (finding.sites, finding.steps, finding.numbers()) == ((0,), (0, 1, 2), {"bytes": 12})


def test_an_item_of_a_tensor_on_the_host_is_silent() -> None:
    def item(built: TraceBuilder, at: float) -> None:
        for name in READ:
            built.op(name, at, at + 100)

    assert found(each_step(item), *CODES_OF_READS) == []


@pytest.mark.parametrize(("size_bytes", "count"), [(16, 1), (17, 0)])
def test_the_largest_scalar_has_16_bytes(size_bytes: int, count: int) -> None:
    assert len(found(reads(size_bytes=size_bytes), "SYN01")) == count


@pytest.mark.parametrize("op", ["aten::is_nonzero", "aten::equal", "aten::allclose"])
def test_a_question_of_truth_is_left_to_syn02(op: str) -> None:
    assert [finding.rule for finding in found(reads(op), *CODES_OF_READS)] == ["SYN02"]


@pytest.mark.parametrize("op", ["aten::nonzero", "aten::masked_select", "aten::_unique2"])
def test_an_op_that_reads_its_own_shape_is_silent(op: str) -> None:
    assert found(reads(op), *CODES_OF_READS) == []


def test_a_read_into_pinned_memory_is_found_by_its_synchronize() -> None:
    """Torch of 2025 reads scalars this way."""

    def item(built: TraceBuilder, at: float, *, waits: bool) -> None:
        for name in READ:
            built.op(name, at, at + 100)
        built.copy("DtoH", "pinned", at, at + 10, runs=(at + 12, at + 14))
        if waits:
            built.synchronize("cudaStreamSynchronize", at + 11, at + 20)

    assert len(found(each_step(lambda built, at: item(built, at, waits=True)), "SYN01")) == 1
    assert found(each_step(lambda built, at: item(built, at, waits=False)), "SYN01") == []


def test_an_upload_under_item_is_silent() -> None:
    def upload(built: TraceBuilder, at: float) -> None:
        for name in READ:
            built.op(name, at, at + 100)
        built.copy("HtoD", "pageable", at, at + 10, runs=(at + 2, at + 8))
        built.synchronize("cudaStreamSynchronize", at + 11, at + 20)

    assert found(each_step(upload), *CODES_OF_READS) == []


CASES = (
    CheckCases(
        "SYN01",
        boundary="a scalar has at most 16 bytes",
        positive=lambda: reads(),
        negative=lambda: reads("aten::nonzero"),
        least=lambda: reads(size_bytes=16),
        below=lambda: reads(size_bytes=17),
    ),
)
