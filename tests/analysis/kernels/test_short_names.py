"""Names of kernels that people can read, and whose they are. The names are of public traces."""

from __future__ import annotations

import pytest

from tbprof.analysis.figures.kernel_names import MOST_LETTERS, short_name
from tbprof.analysis.figures.kernel_table import library_of

NAMES = [
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
        "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
        "vectorized_elementwise_kernel<CUDAFunctor_add<BFloat16>>",
        "at::native",
    ),
    (
        "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
        "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::"
        "{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&)::"
        "{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<float>(at::TensorIteratorBase&))",
        "elementwise_kernel<gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>",
        "at::native",
    ),
    (
        "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 3, false, "
        "false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)",
        "softmax_warp_forward<BFloat16, float>",
        "at::native",
    ),
    (
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2>"
        "(cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2::Params)",
        "cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2",
        "cutlass",
    ),
    (
        "Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x16x1_SN_1LDSB0_APM1_AF0EM1",
        "Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x16x1",
        "hipblaslt",
    ),
    (
        "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_i",
        "aiter::add_rmsnorm_quant_kernel",
        "aiter",
    ),
    (
        "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, 6, false, "
        "cublasGemvParamsEx<int, float> >(cublasGemvParamsEx<int, float>)",
        "gemvx::kernel<int, float>",
        "cublas",
    ),
    ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn", "cublas"),
    ("nvjet_tst_192x8_64x8_4x1_v_bz_TNT", "nvjet_tst_192x8_64x8_4x1_v_bz_TNT", "cublas"),
    (
        "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)0>"
        "(cudnn::ops::nchw2nhwc_params_t<float>, float const*, float*)",
        "nchwToNhwcKernel<float>",
        "cudnn",
    ),
    ("volta_scudnn_128x64_relu_small_nn_v1", "volta_scudnn_128x64_relu_small_nn_v1", "cudnn"),
    (
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclKernel_AllReduce_RING_LL_Sum_float",
        "nccl",
    ),
    ("triton_poi_fused_add_cos_sin_0", "triton_poi_fused_add_cos_sin_0", "triton"),
    (
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false>,"
        " false, true>(pytorch_flash::Flash_fwd_params)",
        "flash_fwd_kernel<Flash_fwd_kernel_traits>",
        "flash-attn",
    ),
    ("my_kernel(float*, int)", "my_kernel", None),
]


@pytest.mark.parametrize(("name", "short", "library"), NAMES, ids=[short for _, short, _ in NAMES])
def test_a_kernel_has_a_short_name_and_a_library(name: str, short: str, library: str | None) -> None:
    assert (short_name(name), library_of(name)) == (short, library)


def test_an_unnamed_namespace_is_left_out_as_each_recorder_writes_it() -> None:
    name = "at::native::{}::multi_tensor_apply_kernel<(int)4>(T1)"
    for namespace in ("(anonymous namespace)", "<unnamed>"):
        assert short_name(name.format(namespace)) == "multi_tensor_apply_kernel"


@pytest.mark.parametrize(
    "name", ["", "<", ">(", "a<b<c", "f((((", "_ZN", "_ZN999abc", "operator<(int)", "f>>,<"]
)
def test_a_name_that_is_no_signature_is_no_fault(name: str) -> None:
    assert len(short_name(name)) <= MOST_LETTERS


def test_a_long_name_is_cut() -> None:
    assert short_name("triton_poi_fused_" + "add_" * 100).endswith("…")
