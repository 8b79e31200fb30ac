"""Whose a kernel is, by its name (data)."""

from __future__ import annotations

import re

LIBRARIES: tuple[tuple[str, str], ...] = (
    # NCCL, and RCCL under NCCL's names: DDP and DLRM traces of 2022 to 2025.
    ("nccl", r"^(?:void )?(?:nccl|rccl|msccl)|oneccl"),
    # Its symmetric memory: vLLM on B200.
    ("torch symmetric memory", r"multimem_(?:all_reduce|all_gather|reduce_scatter)|_shot_all_reduce"),
    # H100, A100 (pytorch_flash), and the package of Dao-AILab.
    ("flash-attn", r"\b(?:pytorch_)?flash(?:::|_(?:fwd|bwd))"),
    # xFormers' kernels, which torch contains: SAM on A100.
    ("mem-efficient attention", r"^fmha_cutlass[FB]|PyTorchMemEffAttention"),
    # vLLM on B200.
    ("tensorrt-llm", r"tensorrt_llm::|^fmhaSm\d|moe::dev::|^bmm_\w+_sm\d+"),
    ("flashinfer", r"flashinfer"),
    ("vllm", r"\bvllm::"),
    # MI300 under SGLang.
    ("sglang", r"sgl_(?:hip|kernel)|resolve_future_token_ids|store_kvcache"),
    ("aiter", r"^_ZN5aiter|aiter::"),
    ("composable kernel", r"^_ZN2ck|^_ZN7ck_tile|\bck(?:_tile)?::"),
    # DLRM and HTA's traces of 2022.
    ("fbgemm", r"fbgemm|split_embedding|dense_embedding_codegen|permute_pooled|linearize_index|recat_"),
    ("magma", r"\bmagma_"),
    # Volta to Hopper; its own copy of CUTLASS bears its name.
    (
        "cudnn",
        r"cudnn|xmma_(?:fprop|dgrad|wgrad)|(?:dgrad|wgrad)_\w*engine|_convolve_sgemm|\bfft2d_"
        r"|nchwToNhwc|nhwcToNchw",
    ),
    # Volta to Blackwell. What cuBLAS launches out of CUTLASS is named as CUTLASS.
    (
        "cublas",
        r"cublas|^nvjet_|^(?:maxwell|volta|turing|ampere|sm\d+)_\w*gemm|\bgemv|gemmSN_|gemmk1_|splitKreduce"
        r"|^void (?:dot_kernel|reduce_1Block_kernel)",
    ),
    # MI300.
    ("hipblaslt", r"^Cijk_"),
    ("miopen", r"^MIOpen|^igemm_|^SubTensorOp|^batched_transpose_|^Im2d2Col|^naive_conv"),
    ("cutlass", r"cutlass"),
    # Inductor's of 2023 and later, and those of the first releases of Triton (SAM).
    ("triton", r"^triton_|_0d1d|_triton$|^attn_(?:fwd|bwd)|^sage_|^_copy_page_indices"),
    ("torchvision", r"\bvision::ops::"),
    ("cub", r"^(?:void )?(?:\w+::)*(?:cub|hipcub|thrust|rocprim)::"),
    (
        "at::native",
        r"^(?:void )?at::|\bat::native::|\bcunn_|softmax_warp_|elementwise_kernel_with_index"
        r"|indexing_backward_kernel|^reduction_prod_kernel",
    ),
    # Outside at::native it is apex' own: HTA's traces of A100.
    ("apex", r"multi_tensor_apply_kernel"),
)
"""Library and a regular expression that finds its kernels, with where they were seen; the first that fits."""

_PATTERNS = tuple((library, re.compile(pattern)) for library, pattern in LIBRARIES)


def library_of(name: str) -> str | None:
    """None for a kernel of nobody known, such as one of the user's own."""
    return next((library for library, pattern in _PATTERNS if pattern.search(name)), None)
