"""CPY04: a tensor is made on the host and moved at once."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from shape_scenes import typed_op
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS

SHAPE = (64, 128)
BYTES = 64 * 128 * 4


def make(
    built: TraceBuilder, at: float, *, name: str = "aten::zeros", shape: tuple[int, ...] = SHAPE
) -> None:
    """A factory of 20 us, with the ops inside it as torch has them."""
    told = str(list(shape))
    typed_op(built, name, at, at + 20, dims=[[], []], types=["ScalarList", "Scalar"], values=[told, "6"])
    typed_op(built, "aten::empty", at + 2, at + 5, dims=[[], []], values=[told, "6"])
    typed_op(built, "aten::zero_", at + 6, at + 19, dims=[shape], types=["float"])


def move(built: TraceBuilder, at: float, *, shape: tuple[int, ...] = SHAPE) -> None:
    """`.to(device)`: 100 in the copy call, 5 in the synchronize."""
    typed_op(built, "aten::to", at, at + 112, dims=[shape, []])
    typed_op(built, "aten::_to_copy", at + 1, at + 111, dims=[shape, []])
    typed_op(built, "aten::copy_", at + 2, at + 110, dims=[shape, shape, []], types=["float", "float"])
    built.copy("HtoD", "pageable", at + 3, at + 103, runs=(at + 5, at + 102), size_bytes=BYTES)
    built.synchronize("cudaStreamSynchronize", at + 104, at + 109)


def test_zeros_that_are_moved_at_once_are_found() -> None:
    (finding,) = found(moved_after(10), "CPY04")
    assert (finding.removal, finding.count, finding.steps) == ("rewrite", 3, (0, 1, 2))
    assert finding.numbers() == {"bytes": 3 * BYTES}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * (112_000 + LINE_NS + 20_000), (
        "the calls, and the making on the host"
    )


def test_a_range_tells_its_shape_where_it_is_resized() -> None:
    def arange(built: TraceBuilder, at: float) -> None:
        typed_op(built, "aten::arange", at, at + 20, dims=[[], []], values=["4096", ""])
        typed_op(built, "aten::resize_", at + 5, at + 9, dims=[[0], []], values=["", "[4096]"])
        move(built, at + 30, shape=(4096,))

    assert len(found(each_step(arange), "CPY04")) == 1


def test_another_shape_is_another_tensor() -> None:
    def zeros(built: TraceBuilder, at: float) -> None:
        make(built, at, shape=(64, 127))
        move(built, at + 30)

    assert found(each_step(zeros), "CPY04") == []


def test_a_tensor_that_no_factory_made_is_silent() -> None:
    assert found(moved_after(10, name="aten::stack"), "CPY04") == []


def test_a_factory_that_launches_a_kernel_made_it_on_the_device() -> None:
    def zeros(built: TraceBuilder, at: float) -> None:
        make(built, at)
        built.launch(at + 8, at + 10, runs=(at + 11, at + 12))
        move(built, at + 30)

    assert found(each_step(zeros), "CPY04") == []


@pytest.mark.parametrize(("gap", "count"), [(200, 1), (200.001, 0)])
def test_within_200_us_it_is_moved_at_once(gap: float, count: int) -> None:
    assert len(found(moved_after(gap), "CPY04")) == count


def test_an_op_between_the_two_makes_it_another_matter() -> None:
    def zeros(built: TraceBuilder, at: float) -> None:
        make(built, at)
        built.op("aten::cumsum", at + 21, at + 25)
        move(built, at + 30)

    assert found(each_step(zeros), "CPY04") == []


def test_empty_memory_is_filled_by_python_and_no_factory() -> None:
    """`torch.tensor([...], device=...)` shows as `aten::empty` and `aten::to`."""
    assert found(moved_after(10, name="aten::empty"), "CPY04") == []


def test_a_program_that_uploads_lists_makes_no_tensors(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "sam_amg_a100" / "amg_HEAD.json.gz")
    assert "CPY04" not in {finding.rule for finding in report.findings}
    assert "CPY04" not in {row.rule for row in report.not_checked}


def test_without_shapes_it_is_not_checked() -> None:
    built = each_step(lambda built, at: built.op("aten::zeros", at, at + 1))
    assert ("CPY04", "shapes") in {(row.rule, row.needs) for row in built.report().not_checked}


def moved_after(gap: float, *, name: str = "aten::zeros") -> TraceBuilder:
    def zeros(built: TraceBuilder, at: float) -> None:
        make(built, at, name=name)
        move(built, at + 20 + gap)

    return each_step(zeros)


CASES = (
    CheckCases(
        "CPY04",
        boundary="200 us from the factory to the move",
        positive=lambda: moved_after(10),
        negative=lambda: moved_after(10, name="aten::stack"),
        least=lambda: moved_after(200),
        below=lambda: moved_after(200.001),
    ),
)
