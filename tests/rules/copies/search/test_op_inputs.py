"""Shapes and types of an op's inputs."""

from __future__ import annotations

from typing import Any

import pytest
from trace_builder import TraceBuilder

from tbprof.rules.copies.host_ops import (
    UNKNOWN,
    first_shape,
    input_types,
    makes_shape,
    records_shapes,
)
from tbprof.trace.columns.columns import Trace


def one_op(**args: Any) -> Trace:
    """A trace of one op with these arguments; blanks in their names are underscores here."""
    built = TraceBuilder()
    built.op("aten::copy_", 0, 10)
    built.events[-1]["args"] |= {key.replace("_", " "): value for key, value in args.items()}
    return built.trace()


@pytest.mark.parametrize(
    ("dims", "shape"),
    [([[4, 5], [4, 5], []], "[4,5]"), ([[], [2]], "[]"), ([[[2, 3], [4]], []], UNKNOWN), ([], UNKNOWN)],
)
def test_the_first_shape_is_that_of_a_tensor(dims: list[Any], shape: str) -> None:
    assert first_shape(one_op(Input_Dims=dims), 0) == shape


def test_types_are_those_that_torch_names() -> None:
    assert input_types(one_op(Input_type=["c10::Half", "unsigned char", ""]), 0) == (
        "c10::Half",
        "unsigned char",
        "",
    )


@pytest.mark.parametrize(("shape", "made"), [("[4,5]", True), ("[4]", False), ("[6]", True)])
def test_a_shape_is_told_as_a_value_or_that_of_the_tensor_itself(shape: str, made: bool) -> None:
    trace = one_op(Input_Dims=[[6], []], Concrete_Inputs=["", "[4, 5]", "4"])
    assert makes_shape(trace, 0, shape) == made


def test_without_shapes_nothing_is_known() -> None:
    trace = one_op()
    assert not records_shapes(trace)
    assert (first_shape(trace, 0), input_types(trace, 0)) == (UNKNOWN, ())
    assert not makes_shape(trace, 0, "[4]")
