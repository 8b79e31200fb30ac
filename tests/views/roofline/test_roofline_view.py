"""The roofline of hand-made traces."""

from __future__ import annotations

import pytest
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.views.roofline import RooflineView
from tbprof.views.roofline_view import roofline_view

SIDE = 4096
TENSOR = "ampere_bf16_s16816gemm_bf16_128x128"


def window(device: str = "NVIDIA A100-SXM4-40GB", *, with_shapes: bool = True) -> TraceBuilder:
    """A product of 1 ms and a sum of 0.1 ms in a step, a lookup before it, and what no formula covers."""
    built = TraceBuilder()
    built.device_name = device
    calls = (
        ("aten::embedding", [[1000, 64], [128]], ["float", "long int"], 0, 10, "gather"),
        ("aten::mm", [[SIDE, SIDE]] * 2, ["c10::BFloat16"] * 2, 200, 1000, TENSOR),
        ("aten::add", [[SIDE, SIDE]] * 2, ["c10::BFloat16"] * 2, 300, 100, "add"),
        ("custom::op", [[SIDE, SIDE]], ["c10::BFloat16"], 400, 90, "custom"),
    )
    begin = 20
    for name, shapes, types, at, took, kernel in calls:
        built.op(name, at, at + 10)
        if with_shapes:
            built.events[-1]["args"].update({"Input Dims": shapes, "Input type": types})
        built.launch(at + 1, at + 2, runs=(begin := max(begin, at + 20), begin + took), name=kernel)
        begin += took
    built.step(1, 100, 2000)
    return built


def view(built: TraceBuilder, *, in_steps: bool = True) -> RooflineView:
    return roofline_view(facts_of(built), in_steps=in_steps)


def test_points_lie_below_the_lines_of_their_device() -> None:
    found = view(window())
    assert (found.device, found.memory_tb_s, found.missing) == ("A100 40GB", 1.555, "")
    assert [(roof.label, roof.tflops) for roof in found.roofs] == [
        ("bfloat16, matrix units", 312.0),
        ("bfloat16", 19.5),
    ]
    product, total = found.points
    assert (product.name, product.shapes, product.bound, product.roof) == (
        *("aten::mm", "[4096, 4096] x [4096, 4096]", "computing", 0),
    )
    assert product.tflops == pytest.approx(2 * SIDE**3 / 1e9)
    assert product.flops_per_byte == pytest.approx(SIDE / 3)
    assert product.share_of_limit == pytest.approx(product.tflops / 312, rel=1e-3)
    assert (total.name, total.bound, total.roof) == ("aten::add", "memory", 1)
    assert total.share_of_limit == pytest.approx(total.tb_s / 1.555, rel=1e-3)
    assert (found.device_us, found.covered_us) == (1190, 1100)
    assert found.sentence.startswith("`aten::mm` loses most: it reaches 4")
    assert "ms a step above it" in found.sentence


def test_calls_of_an_operator_count_together_against_those_of_another_one() -> None:
    built = window()
    for at in range(2):
        side = SIDE + at
        args = {"Input Dims": [[side, side], []], "Input type": ["c10::BFloat16", "Scalar"]}
        built.op("aten::mul", 1100 + 100 * at, 1150 + 100 * at)
        built.events[-1]["args"].update(args)
        built.launch(1101 + 100 * at, 1102 + 100 * at, runs=(2300 + 600 * at, 2800 + 600 * at), name="mul")
    found = view(built)
    assert max(found.points, key=lambda point: point.above_limit_us or 0).name == "aten::mm"
    assert found.sentence.startswith("`aten::mul` loses most")


def test_what_only_moves_has_no_flops_and_the_whole_trace_has_it() -> None:
    found = view(window(), in_steps=False)
    assert (found.scope, found.marks_steps) == ("trace", True)
    (lookup,) = (point for point in found.points if point.name == "aten::embedding")
    assert (lookup.flops_per_byte, lookup.tflops, lookup.bound) == (0, 0, "memory")


def test_an_unknown_device_has_points_without_lines() -> None:
    found = view(window("A device of 2031"))
    assert (found.device, found.memory_tb_s, found.roofs, found.sentence) == (None, None, (), "")
    assert {(point.roof, point.bound, point.share_of_limit) for point in found.points} == {(None, None, None)}
    assert found.points[0].tflops > 0


def test_without_shapes_it_says_what_is_missing() -> None:
    found = view(window(with_shapes=False))
    assert (found.points, found.covered_us) == ((), 0)
    assert "record_shapes=True" in found.missing
    built = TraceBuilder()
    built.op("aten::mm", 0, 10)
    assert view(built).missing == "no device is recorded"
