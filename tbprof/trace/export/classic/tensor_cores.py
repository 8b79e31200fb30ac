"""Kernels that use tensor or matrix cores and whose name torch-tb-profiler does not know.

It finds them by eighteen pieces of names, all of Volta to Ampere. A name that bears a mark
of a later generation gets one of these pieces appended.
"""

from __future__ import annotations

import re

__all__ = ["classic_kernel_name"]

_KNOWN = re.compile(
    "h884|s884|h1688|s1688|hmma|i8816|16816|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv1x1"
    "|conv2d_c1_k1|direct_group|xmma_implicit_gemm|xmma_sparse_conv|xmma_warp_specialized_implicit_gemm"
    "|xmma_gemm|xmma_sparse_gemm|c1688"
)
_LATER = re.compile(
    r"tensorop|wgmma|\d+x\d+x\d+gemm|_gmma_|utcmma|tcgen05"  # CUTLASS
    r"|^nvjet_|_tensor\d+x\d+x\d+_"  # cuBLAS since Hopper, cuDNN
    r"|flash_(?:fwd|bwd)|fmha_cutlass[FB]_(?:bf|f)16|^fmhaSm\d"  # attention
    r"|^Cijk_.*_(?:MI|MFMA)\d|mfma",  # hipBLASLt and rocBLAS
)
_MARK = " [hmma]"


def classic_kernel_name(name: str) -> str:
    """The name under which the plugin counts the kernel correctly."""
    if _LATER.search(name) is None or _KNOWN.search(name) is not None:
        return name
    return name + _MARK
