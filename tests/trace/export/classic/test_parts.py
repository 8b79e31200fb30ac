"""The parts of the classic writer, each by itself."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import TraceBuilder

from tbprof.trace.export.classic_collectives import classic_name, is_collective, message
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.export.classic_rows import ClassicClock, classic_kernel_name, is_source_frame
from tbprof.trace.export.classic_writer import write_classic

DAY_NS = 24 * 3600 * 10**9


@given(st.lists(st.integers(0, DAY_NS), min_size=2, unique=True))
def test_instants_stay_different_in_order_and_within_a_tenth_of_a_ns(instants: list[int]) -> None:
    ordered = sorted(instants)
    us = ClassicClock(0, is_whole=False).us(np.array(ordered, np.int64))
    assert all(before < after for before, after in itertools.pairwise(us))
    assert all(abs(at * 1000 - ns) <= 0.1 for at, ns in zip(us, ordered, strict=True))


@given(st.integers(0, DAY_NS), st.integers(0, DAY_NS), st.integers(0, DAY_NS))
def test_start_and_duration_add_up_to_the_end(start: int, duration: int, longer: int) -> None:
    clock = ClassicClock(0, is_whole=False)
    start_us, end_us, around_us = clock.instants_us(start, start + duration, start + duration + longer)
    assert start_us + (end_us - start_us) == end_us <= around_us


def test_whole_microseconds_stay_whole() -> None:
    assert ClassicClock(5000, is_whole=True).instants_us(7000, 8000) == [2, 3]


@pytest.mark.parametrize(
    "kernel",
    [
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
        "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
        "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
        "mscclKernel_Sum_half_Simple_true",
    ],
)
def test_kernels_of_the_libraries_are_collectives(kernel: str) -> None:
    assert is_collective(kernel)


@pytest.mark.parametrize("kernel", ["void vllm::cross_device_reduce_1stage<float>", "reduce_kernel", "nccl"])
def test_kernels_of_others_are_none(kernel: str) -> None:
    assert not is_collective(kernel)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("allreduce_coalesced", "nccl:all_reduce"),
        ("_allgather_base", "nccl:all_gather"),
        ("_reduce_scatter_base", "nccl:reduce_scatter"),
        ("reduce", "nccl:reduce"),
        ("all_to_allv", "nccl:broadcast"),
        ("send", "nccl:broadcast"),
    ],
)
def test_the_collective_that_the_arguments_name_decides(said: str, name: str) -> None:
    assert classic_name(said, "ncclDevKernel_Generic") == name


def test_a_size_is_given_only_where_it_was_recorded() -> None:
    assert message({"In msg nelems": 6, "dtype": "Float8_e4m3fn"}) == {
        "Input Dims": [[6]], "Input type": ["unsigned char"],
    }  # fmt: skip
    assert message({"In msg nelems": "6", "dtype": "Float"}) == {}


@pytest.mark.parametrize(
    "kernel",
    [
        "nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT",
        "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<32, 128>>",
        "Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_MI16x16x16x1_SN_1LDSB0",
    ],
)
def test_kernels_on_tensor_cores_since_hopper_get_a_name_that_the_plugin_knows(kernel: str) -> None:
    assert classic_kernel_name(kernel) == f"{kernel} [hmma]"


@pytest.mark.parametrize(
    "kernel",
    [
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
        "volta_sgemm_128x32_nt",
        "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>",
        "void at::native::vectorized_elementwise_kernel<4>",
    ],
)
def test_names_that_the_plugin_knows_and_other_kernels_stay(kernel: str) -> None:
    assert classic_kernel_name(kernel) == kernel


@pytest.mark.parametrize(
    ("frame", "is_source"),
    [
        ("train.py(12): step", True),
        ("<ipython-input-3-ab>(2): <module>", True),
        ("<built-in method to of Tensor object at 0x7f(3): x>", False),
        ("nn.Module: Linear_0", False),
    ],
)
def test_frames_of_source_files_make_a_stack(frame: str, is_source: bool) -> None:
    assert is_source_frame(frame) is is_source


def test_a_copy_is_told_from_a_trace(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.op("aten::add", 0, 10)
    path = trace.write(tmp_path / "a.pt.trace.json.gz", gz=True)
    copy = tmp_path / "b.pt.trace.json.gz"
    with copy.open("wb") as file:
        write_classic(path, file)
    assert is_classic_copy(copy)
    assert not is_classic_copy(path)
    assert not is_classic_copy(tmp_path / "missing")
    (tmp_path / "plain").write_bytes(gzip.decompress(copy.read_bytes()))
    assert not is_classic_copy(tmp_path / "plain")
