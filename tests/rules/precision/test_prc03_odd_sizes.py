"""PRC03: sizes of products are no multiples of 8."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from public_report import PublicReport
from rule_scenes import found
from shape_scenes import typed_op
from trace_builder import TraceBuilder

BF16 = "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align{}>(Params)"
TF32 = "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x4_nn_align{}>(Params)"
SIMT = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align{}>(Params)"


@pytest.mark.parametrize(
    ("kernel", "numbers", "codes"),
    [
        (BF16, 8, []),
        (BF16, 4, ["PRC03"]),
        (BF16, 1, ["PRC03"]),
        (TF32, 4, []),
        (TF32, 1, ["PRC03"]),
        (SIMT, 1, []),
    ],
)
def test_sixteen_bytes_at_once_are_a_whole_read(kernel: str, numbers: int, codes: list[str]) -> None:
    built = computing("aten::mm", kernels=(kernel.format(numbers),), kernel_us=100)
    assert [finding.rule for finding in found(built, "PRC03")] == codes


@pytest.mark.parametrize(("kernel_us", "codes"), [(9.9, []), (10, ["PRC03"])])
def test_one_percent_of_the_steps_is_worth_a_word(kernel_us: float, codes: list[str]) -> None:
    built = computing("aten::mm", kernels=(BF16.format(1),), kernel_us=kernel_us)
    assert [finding.rule for finding in found(built, "PRC03")] == codes


def test_with_shapes_only_what_lies_above_the_limit_is_won() -> None:
    built = TraceBuilder()
    built.device_name = "NVIDIA H100 80GB HBM3"
    for number in range(3):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        dims, types = [[1024, 4096], [4096, 4001]], ["c10::BFloat16", "c10::BFloat16"]
        typed_op(built, "aten::mm", start + 5, start + 30, dims=dims, types=types)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 520), name=BF16.format(1))
        built.synchronize("cudaStreamSynchronize", start + 31, start + 525)
    (finding,) = found(built, "PRC03")
    assert finding.saving is not None
    assert 3 * 450_000 < finding.saving.ceiling_ns < 3 * 490_000
    assert finding.numbers()["inputs"] == "[[1024,4096],[4096,4001]]"


def test_a_public_inference_of_patches(traces: pathlib.Path, public_report: PublicReport) -> None:
    """OWLv2 attends over 5185 patches, by kernels for Turing that read two bytes at once."""
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    (finding,) = (finding for finding in report.findings if finding.rule == "PRC03")
    assert (finding.severity, finding.numbers()["inputs"]) == ("medium", "[[16,5185,64],[16,64,5185]]")
    clean = public_report(traces / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz")
    (check,) = (check for check in clean.checks if check.rule == "PRC03")
    assert (check.state, check.numbers()["odd"]) == ("passed", 0)


def odd(kernel_us: float, numbers: int = 1) -> TraceBuilder:
    return computing("aten::mm", kernels=(BF16.format(numbers),), kernel_us=kernel_us)


CASES = (
    CheckCases(
        "PRC03",
        boundary="1 % of the steps",
        positive=lambda: odd(100),
        negative=lambda: odd(100, numbers=8),
        least=lambda: odd(10),
        below=lambda: odd(9.9),
    ),
)
