"""The kernels that multiply, those that use tensor or matrix cores for it, and the operators that could."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

KNOWN_TO_CLASSIC = re.compile(
    "h884|s884|h1688|s1688|hmma|i8816|16816|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv1x1"
    "|conv2d_c1_k1|direct_group|xmma_implicit_gemm|xmma_sparse_conv|xmma_warp_specialized_implicit_gemm"
    "|xmma_gemm|xmma_sparse_gemm|c1688"
)
"""What torch-tb-profiler looks for: eighteen pieces of names, all of Volta to Ampere."""
LATER = re.compile(
    r"tensorop|wgmma|\d+x\d+x\d+gemm|_gmma_|utcmma|tcgen05"  # CUTLASS
    r"|^nvjet_|_tensor\d+x\d+x\d+_"  # cuBLAS since Hopper, cuDNN
    r"|flash_(?:fwd|bwd)|fmha_cutlass[FB]_(?:bf|f)16|^fmhaSm\d"  # attention
    r"|^Cijk_.*_(?:MI|MFMA)\d|mfma"  # hipBLASLt and rocBLAS
    r"|_xdl_|xdlops|ck_tile.*Fmha|_gtcx\d?_"  # composable kernel, MIOpen
    r"|^bmm_\w+_sm\d+|^(?:attn|sage)_(?:fwd|bwd)"  # TensorRT-LLM, attention in Triton
)
"""Marks of later generations, as seen in traces of A100, H100, B200 and MI300."""
_PLAIN = re.compile(r"_ffma_|(?<!t)f32f32_f32f32_f32")
"""Kernels that multiply in plain float32 though their names hold a mark, as cuBLAS's
`sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_..._ffma_...`; torch-tb-profiler takes these for tensor cores."""

PRODUCT = re.compile(r"gemm|scudnn|convolve|_conv|wgrad|dgrad|fprop|winograd|cutlass|^nvjet_|^Cijk_")
CONVOLUTION = re.compile(r"scudnn|convolve|_conv|conv2d|wgrad|dgrad|fprop|winograd|fft2d")
"""Kernels of products, and those of them that convolve."""

_ELIGIBLE = re.compile(
    # Those of torch-tb-profiler, among them names of autograd's of 2021.
    r"aten::(?:_?convolution|conv[123]d|conv_tbc|conv_transpose[123]d|prelu|addmm_?|addmv|addr|matmul|mm|mv"
    r"|linear|addbmm|baddbmm|bmm|chain_matmul|linalg_multi_dot|_thnn_fused_(?:lstm|gru)_cell"
    r"|(?:lstm|gru|rnn_tanh|rnn_relu)_cell"
    r"|cudnn_convolution(?:_transpose)?(?:_backward(?:_weight|_input)?)?"
    # What came after it.
    r"|convolution_backward|miopen_convolution|_scaled_mm|_addmm_activation|(?:_scaled)?_grouped_mm|_int_mm"
    r"|_(?:flash|efficient|cudnn)_attention_(?:forward|backward))"
    r"|BmmBackward0|(?:Cudnn(?:Convolution|ConvolutionTranspose)|Mm|Addmv|Mv|Addmm|Addbmm)Backward"
)


@lru_cache(maxsize=16384)
def is_on_tensor_cores(name: str) -> bool:
    """Whether a kernel of that name uses tensor cores."""
    is_marked = KNOWN_TO_CLASSIC.search(name) is not None or LATER.search(name) is not None
    return is_marked and _PLAIN.search(name) is None


def eligible_operators(names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """For each name, whether an operator of that name computes what tensor cores can."""
    return np.fromiter((_ELIGIBLE.fullmatch(name) is not None for name in names), np.bool_, len(names))
