"""Where the device's time goes, by hand-made traces."""

from __future__ import annotations

from typing import Any

import pytest
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.figures.computing_totals import computing_totals
from tbprof.model import Computing

SIDE = 4096
FLOPS = 2 * SIDE**3
PEAK_FLOPS_A_NS = 989_500
TENSOR = "nvjet_tst_128x256_64x4_2x1_v_bz_TNT"
BACKWARD = 200


def built_on(device: str = "NVIDIA H100 80GB HBM3") -> TraceBuilder:
    built = TraceBuilder()
    built.device_name = device
    built.step(1, 0, 1000)
    return built


def op(built: TraceBuilder, name: str, start: float, end: float, **args: Any) -> None:
    built.op(name, start, end, thread=args.pop("thread", 100))
    built.events[-1]["args"].update(args)


def product(built: TraceBuilder, at: float, took: float, *, thread: int = 100, **args: Any) -> None:
    shapes: dict[str, Any] = {"Input Dims": [[SIDE, SIDE]] * 2, "Input type": ["c10::BFloat16"] * 2}
    op(built, "aten::mm", at, at + 20, **shapes, **args, thread=thread)
    built.launch(at + 1, at + 2, runs=(at + 20, at + 20 + took), name=TENSOR, thread=thread)


def totals(built: TraceBuilder) -> Computing:
    found = computing_totals(facts_of(built))
    assert found is not None
    return found


def test_graphs_compiled_kernels_and_families_without_a_formula_are_no_other_work() -> None:
    built = built_on()
    built.graph_launch(100, 105, runs=[(110, 120), (130, 140)])
    op(built, "triton_poi_fused_add_0", 200, 220)
    built.launch(205, 206, runs=(210, 215), name="triton_poi_fused_add_0")
    op(built, "aten::cudnn_convolution_backward_weight", 300, 320)
    built.launch(305, 306, runs=(310, 350), name="wgrad")
    built.launch(400, 401, runs=(410, 411), name="triton_softmax_kernel")
    assert {part.kind: part.device_ns for part in totals(built).parts} == {
        "convolution": 40_000,
        "graph": 20_000,
        "compiled": 5_000,
        "normalization": 1_000,
    }


def test_without_operators_the_names_of_kernels_say_what_they_are() -> None:
    built = built_on()
    names = ("ampere_sgemm_128x64_tn", "scudnn_winograd", "vectorized_elementwise_kernel<4>", "knn_kernel")
    for at, name in enumerate(names):
        built.launch(100 * at, 100 * at + 5, runs=(100 * at + 10, 100 * at + 11 + at), name=name)
    assert {part.kind: part.device_ns for part in totals(built).parts} == {
        "matmul": 1_000,
        "convolution": 2_000,
        "element-wise": 3_000,
        "other": 4_000,
    }


def test_parts_are_all_of_the_device_and_limits_those_of_what_is_covered() -> None:
    built = built_on()
    product(built, 100, 300)
    op(built, "custom::op", 500, 550)
    built.launch(510, 511, runs=(550, 650))
    op(built, "aten::copy_", 700, 750, **{"Input Dims": [[8], [8]], "Input type": ["float", "float"]})
    built.copy("HtoD", "pinned", 710, 720, runs=(750, 760))
    built.launch(900, 901, runs=(910, 920), name="ncclDevKernel_AllReduce_Sum_f32")
    found = totals(built)
    times = {part.kind: part.device_ns for part in found.parts}
    assert times == {"matmul": 300_000, "other": 100_000, "copies": 10_000, "communication": 10_000}
    assert (found.device_ns, found.computing_ns, found.covered_ns) == (420_000, 400_000, 300_000)
    assert found.uncovered_share == 0.25
    assert found.limit_ns == round(FLOPS / PEAK_FLOPS_A_NS)
    assert found.above_limit_ns == 300_000 - found.limit_ns
    assert found.reached_tflops == pytest.approx(FLOPS / 300_000 / 1000)
    assert found.limit_tflops == pytest.approx(989.5, rel=1e-3)
    assert found.mfu == pytest.approx(FLOPS / PEAK_FLOPS_A_NS / 1_000_000)


def test_products_that_no_formula_covers_leave_the_utilization_open() -> None:
    built = built_on()
    product(built, 100, 300)
    op(built, "Torch-Compiled Region: 0/0", 500, 550)
    built.launch(510, 511, runs=(550, 650), name=TENSOR)
    assert totals(built).mfu is None


def test_without_shapes_only_the_time_is_known() -> None:
    built = built_on()
    op(built, "aten::mm", 100, 120)
    built.launch(101, 102, runs=(120, 220), name=TENSOR)
    found = totals(built)
    assert [(part.kind, part.device_ns, part.limit_ns) for part in found.parts] == [("matmul", 100_000, None)]
    assert (found.limit_ns, found.reached_tflops, found.mfu, found.uncovered_share) == (None, None, None, 1.0)


def test_of_an_unknown_device_what_it_reached_is_known() -> None:
    built = built_on("A device of 2031")
    product(built, 100, 300)
    found = totals(built)
    assert found.reached_tflops == pytest.approx(FLOPS / 300_000 / 1000)
    assert (found.device, found.limit_tflops, found.above_limit_ns, found.mfu) == (None, None, None, None)


def test_what_is_computed_again_for_the_backward_pass_is_no_part_of_the_model() -> None:
    built = built_on()
    product(built, 100, 100, **{"Sequence number": 1, "Fwd thread id": 0})
    once = totals(built).mfu
    autograd: dict[str, Any] = {"Sequence number": 1, "Fwd thread id": 1, "thread": BACKWARD}
    op(built, "CheckpointFunctionBackward", 400, 800, **autograd)
    product(built, 410, 100, thread=BACKWARD, **{"Sequence number": 2, "Fwd thread id": 0})
    assert totals(built).mfu == once
    # Its gradient is one.
    op(built, "MmBackward0", 600, 700, **autograd)
    product(built, 610, 100, thread=BACKWARD)
    assert totals(built).mfu == pytest.approx(2 * (once or 0))


def test_without_a_device_nothing_is_known() -> None:
    built = TraceBuilder()
    built.op("aten::mm", 0, 10)
    assert computing_totals(facts_of(built)) is None
