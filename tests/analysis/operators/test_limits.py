"""How near the limit calls come, by hand-made traces."""

from __future__ import annotations

from typing import Any

import pytest
from operator_scenes import rows_of
from trace_builder import TraceBuilder

from tbprof.analysis.figures.operator_table import RowLimit
from tbprof.analysis.limits.devices import all_devices, find_peaks

A100 = "NVIDIA A100-SXM4-40GB"
TENSOR = "ampere_bf16_s16816gemm_bf16_128x128"
SIDE = 4096


def built_on(device: str) -> TraceBuilder:
    built = TraceBuilder()
    built.device_name = device
    return built


def call(
    built: TraceBuilder,
    name: str,
    at: float,
    took: float,
    *tensors: list[int],
    dtype: str = "c10::BFloat16",
    kernel: str = TENSOR,
) -> None:
    built.op(name, at, at + 10)
    built.events[-1]["args"].update({"Input Dims": [*tensors], "Input type": [dtype] * len(tensors)})
    built.launch(at + 1, at + 2, runs=(at + 100, at + 100 + took), name=kernel)


def limit_of(built: TraceBuilder, name: str = "aten::mm") -> RowLimit:
    limit = rows_of(built)[name].limit
    assert limit is not None
    return limit


def test_computing_is_the_limit_of_a_large_product() -> None:
    built = built_on(A100)
    call(built, "aten::mm", 0, 1000, [SIDE, SIDE], [SIDE, SIDE])
    limit = limit_of(built)
    assert limit.flops == limit.timed_flops == 2 * SIDE**3
    assert limit.limit_ns == round(2 * SIDE**3 / 312e3)
    assert limit.above_ns == limit.covered_ns - limit.limit_ns == 1_000_000 - limit.limit_ns


def test_memory_is_the_limit_of_a_sum() -> None:
    built = built_on(A100)
    call(built, "aten::add", 0, 100, [SIDE, SIDE], [SIDE, SIDE])
    limit = limit_of(built, "aten::add")
    assert limit.bytes == 3 * 2 * SIDE**2
    assert limit.limit_ns == round(3 * 2 * SIDE**2 / 1555)


@pytest.mark.parametrize("others", [0, 1], ids=["alone", "beside another operator"])
def test_of_a_tensor_that_devices_share_only_the_part_of_this_one_counts(others: int) -> None:
    built = built_on(A100)
    whole = {"Input Dims": [[SIDE, SIDE], [SIDE, SIDE]], "Input type": ["c10::BFloat16"] * 2}
    for name in ("aten::linear", "aten::mm"):
        built.op(name, 0, 20)
        built.events[-1]["args"].update(whole)
    for _ in range(others):
        built.op("aten::detach", 1, 2)
    call(built, "aten::mm", 5, 1000, [SIDE, SIDE], [SIDE, SIDE // 2])
    limit = limit_of(built)
    assert limit == limit_of(built, "aten::linear")
    assert limit.flops == limit.timed_flops == SIDE**3
    assert limit.covered_ns == 1_000_000
    assert limit.bytes == 2 * (SIDE**2 + SIDE**2 // 2 + SIDE**2 // 2)


@pytest.mark.parametrize(
    ("kernel", "tflops"),
    [
        (TENSOR, 156),
        ("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x64x32", 156),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tensor16x8x8_kernel", 156),
        ("sgemm_128x128", 19.5),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x128x8_stage3_warpsize1x4x1_ffma_aligna4", 19.5),
    ],
)
def test_float32_has_the_rate_of_the_units_that_it_used(kernel: str, tflops: float) -> None:
    built = built_on(A100)
    call(built, "aten::mm", 0, 20_000, [SIDE, SIDE], [SIDE, SIDE], dtype="float", kernel=kernel)
    assert limit_of(built).limit_ns == round(2 * SIDE**3 / (tflops * 1000))


def test_without_a_rate_memory_bounds_a_sum_and_nothing_a_product() -> None:
    built = built_on("NVIDIA H20")
    call(built, "aten::add", 0, 1000, [SIDE, SIDE], [SIDE, SIDE], dtype="float", kernel="add")
    call(built, "aten::mm", 2000, 9000, [SIDE, SIDE], [SIDE, SIDE], dtype="float", kernel="sgemm_128x128")
    assert limit_of(built, "aten::add").limit_ns == round(3 * 4 * SIDE**2 / 4000)
    assert limit_of(built).limit_ns is None


@pytest.mark.parametrize(
    "name",
    ["NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA A100-SXM4-40GB MIG 3g.20gb", "NVIDIA A30 MIG 1g.6gb+me"],
)
def test_the_limits_of_a_slice_are_not_those_of_the_whole_card(name: str) -> None:
    built = built_on(name)
    call(built, "aten::mm", 0, 1000, [SIDE, SIDE], [SIDE, SIDE])
    limit = limit_of(built)
    assert (limit.flops, limit.limit_ns, limit.above_ns) == (2 * SIDE**3, None, None)


def test_what_is_faster_than_the_memory_is_at_its_limit_and_others_do_not_gain_by_it() -> None:
    built = built_on(A100)
    call(built, "aten::add", 0, 1, [SIDE, SIDE], [SIDE, SIDE])
    call(built, "aten::add", 500, 100, [SIDE, SIDE], [SIDE, SIDE])
    limit = limit_of(built, "aten::add")
    assert limit.above_ns == 100_000 - round(3 * 2 * SIDE**2 / 1555)


def test_a_call_around_has_the_figures_of_what_is_covered_in_it_once() -> None:
    built = built_on(A100)
    built.op("nn.Module", 0, 400)
    built.op("aten::layer_norm", 10, 100)
    shapes: dict[str, Any] = {
        "Input Dims": [[64, 128], [], [128], [128]],
        "Input type": ["float", "ScalarList", "float", "float"],
        "Concrete Inputs": ["", "[128]", "", ""],
    }
    built.events[-1]["args"].update(shapes)
    built.op("aten::native_layer_norm", 20, 90)
    built.events[-1]["args"].update(shapes)
    built.launch(30, 40, runs=(50, 60))
    built.op("unknown::op", 200, 300)
    built.launch(210, 220, runs=(230, 250))
    rows = rows_of(built)
    inner, outer, module = (
        rows[name].limit for name in ("aten::native_layer_norm", "aten::layer_norm", "nn.Module")
    )
    assert inner == outer == module
    assert inner is not None
    assert (inner.covered_ns, rows["nn.Module"].device_total_ns) == (10_000, 30_000)
    assert rows["unknown::op"].limit is None


def test_copies_from_the_host_have_bytes_and_no_limit() -> None:
    built = built_on(A100)
    built.op("aten::copy_", 0, 100)
    built.events[-1]["args"].update({"Input Dims": [[1024], [1024]], "Input type": ["float", "float"]})
    built.copy("HtoD", "pinned", 10, 20, runs=(30, 50))
    limit = limit_of(built, "aten::copy_")
    assert (limit.bytes, limit.covered_ns, limit.limit_ns) == (8192, 0, None)


def test_an_unknown_device_has_figures_without_a_limit() -> None:
    built = built_on("A device of 2031")
    call(built, "aten::mm", 0, 1000, [SIDE, SIDE], [SIDE, SIDE])
    limit = limit_of(built)
    assert (limit.flops, limit.covered_ns, limit.limit_ns, limit.above_ns) == (
        2 * SIDE**3,
        1_000_000,
        None,
        None,
    )


RECORDED_NAMES: dict[str, str | None] = {
    "NVIDIA H100 80GB HBM3": "H100 SXM",
    "NVIDIA H100 PCIe": "H100 PCIe",
    "NVIDIA H200": "H200 SXM",
    "NVIDIA A100-SXM4-80GB": "A100 80GB SXM",
    "NVIDIA A100-SXM4-40GB": "A100 40GB",
    "NVIDIA A100-PG509-200": "A100 40GB",
    "NVIDIA A100 80GB PCIe": "A100 80GB PCIe",
    "NVIDIA A10": "A10",
    "NVIDIA L4": "L4",
    "NVIDIA L40S": "L40S",
    "Tesla V100-SXM2-32GB": "V100",
    "Tesla V100-PCIE-16GB": "V100 PCIe",
    "Tesla V100S-PCIE-32GB": "V100S PCIe",
    "NVIDIA GH200 480GB": "GH200 96GB",
    "NVIDIA GH200 144G HBM3e": None,
    "NVIDIA A10G": "A10G",
    "Tesla T4": "T4",
    "NVIDIA GeForce RTX 4090": "RTX 4090",
    "NVIDIA B200": "B200",
    "NVIDIA B300 SXM6 AC": "B300",
    "NVIDIA B100": "B100",
    "NVIDIA H20": "H20",
    "NVIDIA H20-3e": None,
    "NVIDIA L20": "L20",
    "NVIDIA L2": "L2",
    "NVIDIA GeForce RTX 5090": "RTX 5090",
    "NVIDIA GeForce RTX 5090 D": None,
    "NVIDIA GeForce RTX 5080": "RTX 5080",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "RTX PRO 6000 Blackwell",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": None,
    "NVIDIA GB200": "GB200",
    "AMD Instinct MI300X VF": "MI300X",
    "AMD Instinct MI250X / MI250": "MI250X",
    "NVIDIA GeForce RTX 4090 Laptop GPU": "RTX 4090 Laptop",
    "NVIDIA GeForce RTX 4090 D": None,
    "NVIDIA GeForce RTX 5090 Laptop GPU": None,
    "NVIDIA GeForce RTX 3060": "RTX 3060",
    "NVIDIA GeForce RTX 3060 Ti": "RTX 3060 Ti",
    "NVIDIA GeForce RTX 3060 Laptop GPU": "RTX 3060 Laptop",
    "NVIDIA GeForce RTX 3070 Ti Laptop GPU": "RTX 3070 Ti Laptop",
    "GeForce RTX 2070 SUPER": "RTX 2070 SUPER",
    "GeForce RTX 2070 with Max-Q Design": None,
    "NVIDIA RTX A5000": "RTX A5000",
    "NVIDIA RTX A5000 Laptop GPU": None,
    "NVIDIA RTX A2000 12GB": "RTX A2000",
    "NVIDIA RTX 4000 SFF Ada Generation": "RTX 4000 SFF Ada",
    "NVIDIA RTX 6000 Ada Generation": "RTX 6000 Ada",
    "NVIDIA RTX 500 Ada Generation Laptop GPU": "RTX 500 Ada Laptop",
    "NVIDIA RTX 5000 Ada Generation Laptop GPU": "RTX 5000 Ada Laptop",
    "Quadro RTX 6000": "Quadro RTX 6000",
    "NVIDIA A16": "A16",
    "NVIDIA A2": "A2",
    "NVIDIA T4G": "T4",
    "Tesla P100-PCIE-16GB": "P100 PCIe",
    "AMD Instinct MI100": "MI100",
    "Device of 2021": None,
    "": None,
}


def test_devices_are_found_by_their_recorded_names() -> None:
    found = {recorded: find_peaks(recorded) for recorded in RECORDED_NAMES}
    assert {recorded: peaks and peaks.name for recorded, peaks in found.items()} == RECORDED_NAMES


def test_the_table_of_devices_is_plausible() -> None:
    for peaks in all_devices():
        assert peaks.source, peaks.name
        half = peaks.half or peaks.plain_float16 or 0
        assert half > (peaks.float32 or 0) >= (peaks.float64 or 0), peaks.name
        assert (peaks.half is None) == (peaks.plain_float16 is not None), peaks.name
        matrix = max(peaks.matrix.values(), default=0)
        assert matrix == max(peaks.half or 0, peaks.float8 or 0, peaks.int8 or 0), peaks.name
    assert len({peaks.name for peaks in all_devices()}) == len(all_devices())


def test_a_device_without_matrix_units_has_a_rate_of_its_own_in_half_precision() -> None:
    peaks = find_peaks("Tesla P100-SXM2-16GB")
    assert peaks is not None
    assert not peaks.matrix
    assert peaks.tflops("float16", on_matrix_units=True) == 21.2
    assert peaks.tflops("bfloat16", on_matrix_units=True) == peaks.float32 == 10.6


@pytest.mark.parametrize(
    ("name", "of_float32"),
    [("NVIDIA GeForce RTX 3060", 2), ("NVIDIA GeForce RTX 4070", 2), ("NVIDIA RTX A4000", 4)],
)
def test_geforce_sums_in_float32_at_half_the_rate(name: str, of_float32: float) -> None:
    peaks = find_peaks(name)
    assert peaks is not None
    assert peaks.half is not None
    assert peaks.float32 is not None
    assert peaks.half / peaks.float32 == pytest.approx(of_float32, rel=0.01)
