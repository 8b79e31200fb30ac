"""CPY05: numbers of Python go to the device in the step."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import upload
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS


def indexing(op: str = "aten::index", *, size_bytes: int = 24) -> TraceBuilder:
    """`x[[0, 2, 5]]`: the list goes up within the op."""

    def index(built: TraceBuilder, at: float) -> None:
        built.op(op, at - 2, at + 120)
        upload(built, at, wait=100, size_bytes=size_bytes)

    return each_step(index)


def making(frame: str) -> TraceBuilder:
    """`torch.tensor([0.9, 0.1], device=device)`."""

    def make(built: TraceBuilder, at: float) -> None:
        built.frame(frame, at - 2, at + 120)
        upload(built, at, wait=100, size_bytes=8)

    return each_step(make)


@pytest.mark.parametrize("op", ["aten::index", "aten::index_put_", "aten::_index_put_impl_"])
def test_a_list_as_an_index_is_found(op: str) -> None:
    (finding,) = found(indexing(op), "CPY05")
    assert (finding.removal, finding.count, finding.numbers()) == ("drop", 3, {"bytes": 72, "op": op})
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * (122_000 + LINE_NS)


@pytest.mark.parametrize("name", ["tensor", "as_tensor", "asarray", "new_tensor"])
def test_a_tensor_of_numbers_is_found(name: str) -> None:
    (finding,) = found(making(f"<built-in method {name} of type object at 0x7ce6c2c1df60>"), "CPY05")
    assert (finding.count, finding.steps) == (3, (0, 1, 2))


@pytest.mark.parametrize("frame", ["<built-in method tensor_split of type object at 0x1>", "a.py(3): tensor"])
def test_other_frames_are_silent(frame: str) -> None:
    assert found(making(frame), "CPY05") == []


@pytest.mark.parametrize(("size_bytes", "count"), [(65_535, 1), (65_536, 0)])
def test_64_kb_are_data_and_no_list(size_bytes: int, count: int) -> None:
    assert len(found(indexing(size_bytes=size_bytes), "CPY05")) == count


def test_an_upload_elsewhere_is_silent() -> None:
    assert found(each_step(lambda built, at: upload(built, at, wait=100, size_bytes=8)), "CPY05") == []


def test_an_index_that_does_not_block_is_silent() -> None:
    def index(built: TraceBuilder, at: float) -> None:
        built.op("aten::index", at, at + 20)
        built.copy("HtoD", "pinned", at, at + 5, runs=(at + 6, at + 8), size_bytes=24)

    assert found(each_step(index), "CPY05") == []


def test_a_recommender_indexes_with_lists_forward_and_backward(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for path in (traces / "dlrm_v100_8rank").glob("worker0*.gz"):
        report = public_report(path)
        ops = [report.sites[finding.sites[0]].ops for finding in report.findings if finding.rule == "CPY05"]
        assert {"aten::index", "aten::_index_put_impl_"} <= {op for chain in ops for op in chain}


CASES = (
    CheckCases(
        "CPY05",
        boundary="64 KB are data and no list",
        positive=lambda: indexing(),
        negative=lambda: making("a.py(3): tensor"),
        least=lambda: indexing(size_bytes=65_535),
        below=lambda: indexing(size_bytes=65_536),
    ),
)
