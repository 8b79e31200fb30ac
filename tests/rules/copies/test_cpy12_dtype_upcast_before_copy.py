"""CPY12: a tensor is cast to a wider type before it is copied."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from shape_scenes import typed_op
from trace_builder import TraceBuilder

SHAPE = (128, 3, 32, 32)
BYTES = 128 * 3 * 32 * 32 * 4


def cast(built: TraceBuilder, at: float, wide: str, narrow: str, *, shape: tuple[int, ...] = SHAPE) -> None:
    """`x.float()` on the host, for 40."""
    typed_op(built, "aten::_to_copy", at, at + 40, dims=[shape], types=[narrow])
    typed_op(built, "aten::copy_", at + 1, at + 39, dims=[shape, shape], types=[wide, narrow])


def move(built: TraceBuilder, at: float, dtype: str, *, runs_for: float = 100) -> None:
    """`.to(device, non_blocking=True)` from pinned memory."""
    typed_op(built, "aten::copy_", at, at + 10, dims=[SHAPE, SHAPE], types=[dtype, dtype])
    built.copy("HtoD", "pinned", at + 1, at + 5, runs=(at + 6, at + 6 + runs_for), size_bytes=BYTES)


def widened(wide: str = "float", narrow: str = "unsigned char", *, runs_for: float = 100) -> TraceBuilder:
    def both(built: TraceBuilder, at: float) -> None:
        cast(built, at, wide, narrow)
        move(built, at + 50, wide, runs_for=runs_for)

    return each_step(both)


def test_bytes_that_are_copied_as_floats_are_found() -> None:
    (finding,) = found(widened(), "CPY12")

    assert (finding.removal, finding.severity, finding.confidence) == ("rewrite", "high", "medium")
    assert (finding.count, finding.steps) == (3, (0, 1, 2))
    assert finding.numbers() == {"copies": 3, "bytes": 3 * BYTES, "spared_bytes": 3 * BYTES * 3 // 4}
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 3 * 75_000)


@pytest.mark.parametrize(
    ("wide", "narrow", "count"),
    [
        ("double", "float", 1),
        ("float", "c10::Half", 1),
        ("float", "int", 0),
        ("c10::Half", "float", 0),
        ("float", "nothing known", 0),
    ],
)
def test_a_cast_that_does_not_widen_is_silent(wide: str, narrow: str, count: int) -> None:
    assert len(found(widened(wide, narrow), "CPY12")) == count


@pytest.mark.parametrize(("runs_for", "count"), [(13.333, 0), (13.334, 1)])
def test_from_1_percent_of_the_steps_on_it_matters(runs_for: float, count: int) -> None:
    """Three quarters of the copy are spared; a step takes 1000 us."""
    assert len(found(widened(runs_for=runs_for), "CPY12")) == count


def test_a_cast_of_another_tensor_is_silent() -> None:
    def other(built: TraceBuilder, at: float) -> None:
        cast(built, at, "float", "unsigned char", shape=(128,))
        move(built, at + 50, "float")

    assert found(each_step(other), "CPY12") == []


def test_a_cast_on_the_device_is_silent() -> None:
    def on_device(built: TraceBuilder, at: float) -> None:
        cast(built, at, "float", "unsigned char")
        built.launch(at + 2, at + 4, runs=(at + 5, at + 7))
        move(built, at + 50, "float")

    assert found(each_step(on_device), "CPY12") == []


def test_a_cast_after_the_copy_is_as_it_should_be() -> None:
    def after(built: TraceBuilder, at: float) -> None:
        move(built, at, "unsigned char")
        cast(built, at + 20, "float", "unsigned char")

    assert found(each_step(after, steps=1), "CPY12") == []


def test_the_last_cast_of_a_shape_is_the_one_that_is_copied() -> None:
    def narrowed(built: TraceBuilder, at: float) -> None:
        cast(built, at, "float", "unsigned char")
        cast(built, at + 45, "c10::Half", "float")
        move(built, at + 100, "c10::Half")

    assert found(each_step(narrowed), "CPY12") == []


def test_without_shapes_it_is_not_checked() -> None:
    built = each_step(lambda built, at: built.op("aten::add", at, at + 1))
    assert ("CPY12", "shapes") in {(row.rule, row.needs) for row in built.report().not_checked}


def test_no_public_training_with_shapes_widens_its_batch(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for file in ("hta_trace_diff/control.json.gz", "h100_owlv2_infer/h100_owlv2.json.gz"):
        report = public_report(traces / file)
        assert "CPY12" not in {finding.rule for finding in report.findings}
        assert "CPY12" not in {row.rule for row in report.not_checked}


CASES = (
    CheckCases(
        "CPY12",
        boundary="1 % of the steps: three quarters of a copy are spared",
        positive=lambda: widened(),
        negative=lambda: widened("c10::Half", "float"),
        least=lambda: widened(runs_for=13.334),
        below=lambda: widened(runs_for=13.333),
    ),
)
