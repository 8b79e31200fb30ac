"""SYN03: an op reads back from the device how large its result is."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import CODES_OF_READS, each_step, found
from scenes import read_scalar, upload
from trace_builder import TraceBuilder

from tbprof.model import Scope
from tbprof.optable import DYNAMIC_SHAPE_OPS

CODES = (*CODES_OF_READS, "SYN03")


def reads(*ops: str) -> TraceBuilder:
    """`ops`, outermost first."""
    return each_step(lambda built, at: read_scalar(built, at, wait=100, ops=ops, size_bytes=8))


@pytest.mark.parametrize("op", [row.op for row in DYNAMIC_SHAPE_OPS])
def test_each_op_whose_shape_depends_on_the_data_is_found_once(op: str) -> None:
    (finding,) = found(reads(op, "aten::item", "aten::_local_scalar_dense"), *CODES)
    assert (finding.rule, finding.removal, finding.count) == ("SYN03", "rewrite", 3)
    assert finding.numbers() == {"op": op}


@pytest.mark.parametrize("op", ["aten::index", "aten::index_put_"])
def test_a_mask_is_named_by_what_it_is_used_for(op: str) -> None:
    (finding,) = found(reads(op, "aten::nonzero"), *CODES)
    assert finding.numbers() == {"op": op}


def test_indexing_that_only_uploads_its_indices_is_silent() -> None:
    def index(built: TraceBuilder, at: float) -> None:
        built.op("aten::index", at - 1, at + 200)
        upload(built, at, wait=100, size_bytes=64)

    assert found(each_step(index), *CODES) == []


def test_on_the_host_it_is_silent() -> None:
    assert found(each_step(lambda built, at: built.op("aten::nonzero", at, at + 100)), *CODES) == []


@pytest.mark.parametrize(("ends", "rule"), [(100, "SYN03"), (99, "SYN01")])
def test_the_op_must_hold_the_whole_call(ends: float, rule: str) -> None:
    assert [finding.rule for finding in found(selecting(ends), *CODES)] == [rule]


def test_segment_anything_selects_its_masks_that_way(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "sam_amg_a100" / "amg_HEAD.json.gz")
    ops = {finding.numbers()["op"] for finding in report.findings if finding.rule == "SYN03"}
    assert ops == {"aten::index", "aten::nonzero", "torchvision::nms"}


def selecting(ends: float) -> TraceBuilder:
    """One op a step; the call that reads how large its result is ends at 100."""

    def read(built: TraceBuilder, at: float) -> None:
        built.op("aten::nonzero", at, at + ends)
        read_scalar(built, at, wait=100)

    return each_step(read)


CASES = (
    CheckCases(
        "SYN03",
        boundary="no threshold: a single op that holds the call that reads its size",
        positive=lambda: reads("aten::nonzero"),
        negative=lambda: each_step(lambda built, at: built.op("aten::nonzero", at, at + 100)),
        least=lambda: selecting(100),
        below=lambda: selecting(99),
    ),
)


@pytest.mark.parametrize(
    ("op", "instead"),
    [
        ("aten::bincount", "scatter_add_"),
        ("aten::repeat_interleave", "output_size="),
        ("aten::index_put_", "torch.where(mask, new, x)"),
        ("aten::nonzero", "nonzero_static"),
        ("aten::_unique2", ""),
    ],
)
def test_it_says_what_does_not_read_where_something_does_not(op: str, instead: str) -> None:
    (finding,) = found(reads(op, "aten::nonzero" if "index" in op else "aten::item"), *CODES)
    assert finding.figures is not None
    said, _, advice = finding.figures.sentence(Scope("a step", "a step")).partition(" is. ")
    assert said.startswith(f"{op} reads back how large its result")
    assert instead in advice
    assert bool(advice) == bool(instead)
