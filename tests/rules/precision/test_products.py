"""PRC: kernels that take longer than they need to, by their format or their layout."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.model import GPU_RATES
from tbprof.texts.rule_pages import fix_words

SGEMM, TF32 = "volta_sgemm_128x64_nn", "sm80_xmma_gemm_tf32f32_tf32f32_f32_tn_n"


@pytest.mark.parametrize(
    ("device", "kernel", "codes"),
    [
        ("Tesla V100-SXM2-32GB", SGEMM, ["PRC01"]),
        ("NVIDIA A100-SXM4-80GB", SGEMM, ["PRC01", "PRC02"]),
        ("NVIDIA A100-SXM4-80GB", TF32, ["PRC01"]),
        ("NVIDIA GeForce RTX 4090", SGEMM, ["PRC01"]),
        ("NVIDIA A100-SXM4-80GB", "void cutlass::simt_sgemm_half", []),
        ("NVIDIA H20", SGEMM, []),
        ("Tesla P100-PCIE-16GB", "sgemm_128x128", []),
        ("A device that nobody knows", SGEMM, []),
    ],
)
def test_plain_float32_is_found_where_tensor_cores_are_faster(
    device: str, kernel: str, codes: list[str]
) -> None:
    built = computing("aten::mm", kernels=(kernel,), kernel_us=400, device=device)
    assert [finding.rule for finding in found(built, "PRC01", "PRC02")] == codes


def test_what_most_of_it_comes_from_is_named_and_how_autocast_is_used_on_that_device() -> None:
    operators = ("aten::mm", "aten::conv2d", "aten::conv2d")
    built = computing(*operators, kernels=(SGEMM,), kernel_us=200, device="Tesla T4")
    (finding,) = found(built, "PRC01")
    assert finding.remedy.origin == "operator aten::conv2d"
    assert "torch.float16" in fix_words(finding).action
    assert "GradScaler" in fix_words(finding).fix


@pytest.mark.parametrize(
    ("operator", "kernels", "codes"),
    [
        ("aten::cudnn_convolution", (SGEMM,), ["PRC01"]),
        ("aten::mm", (SGEMM, TF32), ["PRC01"]),
        ("aten::mm", (SGEMM, "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32"), ["PRC01", "PRC02"]),
        ("aten::mm", ("ampere_scudnn_128x32_relu_small_nn_v1",), ["PRC01"]),
        ("aten::mm", ("void wgrad_alg0_engine<float, 128, 5>(int)",), ["PRC01"]),
        ("aten::mm", ("void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>()",), ["PRC01"]),
        ("aten::mm", ("void dgrad_engine<__half, 512>(int)",), []),
    ],
)
def test_tf32_is_not_called_off_for_convolutions_nor_where_a_product_uses_it(
    operator: str, kernels: tuple[str, ...], codes: list[str]
) -> None:
    operators = (operator,) * len(kernels)
    built = computing(*operators, kernels=kernels, kernel_us=200, device="NVIDIA A100-SXM4-80GB")
    assert [finding.rule for finding in found(built, "PRC01", "PRC02")] == codes


@pytest.mark.parametrize(
    ("device", "kernel", "is_known"),
    [
        ("A device that nobody knows", SGEMM, False),
        ("A device that nobody knows", TF32, False),
        ("A device that nobody knows", "elementwise", True),
        ("NVIDIA H20", SGEMM, False),
        ("NVIDIA H20", TF32, True),
    ],
)
def test_without_the_rates_of_the_device_its_products_are_not_checked(
    device: str, kernel: str, is_known: bool
) -> None:
    """Of H20 no source names the rate of plain float32; without products there is nothing to compare."""
    report = computing("aten::mm", kernels=(kernel,), kernel_us=400, device=device).report()
    needs = {check.rule: check.needs for check in report.checks if check.rule in ("PRC01", "PRC02")}
    assert needs == dict.fromkeys(("PRC01", "PRC02"), () if is_known else (GPU_RATES,))


@pytest.mark.parametrize(("kernel_us", "codes"), [(11.4, []), (11.5, ["PRC01"])])
def test_at_the_rates_of_the_data_sheet_one_percent_of_the_steps_is_won(
    kernel_us: float, codes: list[str]
) -> None:
    """A V100 computes half precision 125 / 15.7 times as fast: 87.4 % of the time goes."""
    built = computing("aten::mm", kernels=(SGEMM,), kernel_us=kernel_us, device="Tesla V100-SXM2-32GB")
    assert [finding.rule for finding in found(built, "PRC01")] == codes


@pytest.mark.parametrize(("kernels_us", "severity"), [(100, "low"), (300, "medium")])
def test_shorter_kernels_are_no_alarm_on_a_device_that_hardly_ever_works(
    kernels_us: float, severity: str
) -> None:
    """The host launches all along the step of 1,000 us; the device computes in 10 % of it, or in 30 %."""
    built = TraceBuilder()
    built.device_name = "Tesla V100-SXM2-32GB"
    for number in range(3):
        at = 1_000.0 * number
        built.step(number, at, at + 1_000)
        for turn in range(10):
            host = at + 90 * turn
            built.op("aten::mm", host + 5, host + 60)
            built.launch(host + 10, host + 14, runs=(host + 16, host + 16 + kernels_us / 10), name=SGEMM)
        built.synchronize("cudaDeviceSynchronize", at + 850, at + 990)
    (finding,) = found(built, "PRC01")
    assert finding.severity == severity


def test_the_ceiling_leaves_what_tensor_cores_would_take() -> None:
    built = computing("aten::mm", kernels=(SGEMM,), kernel_us=100, device="NVIDIA A100-SXM4-80GB")
    (nothing,) = found(built, "PRC02")
    assert nothing.saving is not None
    assert (nothing.severity, nothing.saving.ceiling_ns) == ("info", 0), "the host waits for no kernel"
    for number in range(3):
        built.synchronize("cudaStreamSynchronize", 1000 * number + 50, 1000 * number + 415)
    (finding,) = found(built, "PRC02")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 87_500
    assert (finding.severity, finding.numbers()["rate"]) == ("medium", 8.0)


def test_products_on_tensor_cores_pass_with_their_count() -> None:
    report = computing("aten::mm", "aten::mm", kernels=(TF32,), device="NVIDIA A100-SXM4-80GB").report()
    (check,) = (check for check in report.checks if check.rule == "PRC02")
    assert (check.state, check.numbers()) == ("passed", {"products": 6, "plain": 0, "plain_share": 0.0})


TRANSPOSE = "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)"
DOUBLE = "void at::native::vectorized_elementwise_kernel<4, (double const*), 2>(int)"


@pytest.mark.parametrize(("code", "kernel"), [("PRC04", TRANSPOSE), ("PRC07", DOUBLE)])
@pytest.mark.parametrize(("kernel_us", "is_found"), [(9.9, False), (10, True)])
def test_one_percent_of_the_steps_is_worth_a_word(
    code: str, kernel: str, kernel_us: float, is_found: bool
) -> None:
    built = computing("aten::conv2d", kernels=(kernel,), kernel_us=kernel_us)
    assert [finding.rule for finding in found(built, code)] == [code] * is_found


def test_a_double_that_a_kernel_is_only_handed_is_no_tensor_of_float64() -> None:
    norm = "batch_norm_update_stats(at::Tensor const&, at::Tensor const&, double, double, long)"
    assert found(computing("aten::batch_norm", kernels=(norm,), kernel_us=200), "PRC07") == []


def test_public_trainings(traces: pathlib.Path, public_report: PublicReport) -> None:
    said = {
        path: {finding.rule for finding in public_report(traces / path).findings if finding.rule[:3] == "PRC"}
        for path in (
            "hta_nccl_ddp/ns_resolution.json.gz",
            "hta_nccl_ddp/nccl_data.json.gz",
            "hta_trace_diff/control.json.gz",
            "h100_bert_small_infer/h100_bert_small.json.gz",
        )
    }
    assert list(said.values()) == [{"PRC01"}, {"PRC01", "PRC04"}, {"PRC01", "PRC03"}, set()]


def multiplying(kernel: str, kernel_us: float, device: str = "NVIDIA A100-SXM4-80GB") -> TraceBuilder:
    return computing("aten::conv2d", kernels=(kernel,), kernel_us=kernel_us, device=device)


def matrices(kernel: str, kernel_us: float) -> TraceBuilder:
    return computing("aten::mm", kernels=(kernel,), kernel_us=kernel_us, device="NVIDIA A100-SXM4-80GB")


V100 = "Tesla V100-SXM2-32GB"


CASES = (
    CheckCases(
        "PRC01",
        boundary="1 % of the steps, of which 87.4 % go on a V100",
        positive=lambda: multiplying(SGEMM, 400, V100),
        negative=lambda: multiplying("volta_fp16_s884gemm_fp16", 400, V100),
        least=lambda: multiplying(SGEMM, 11.5, V100),
        below=lambda: multiplying(SGEMM, 11.4, V100),
    ),
    CheckCases(
        "PRC02",
        boundary="1 % of the steps, of which seven eighths go on an A100",
        positive=lambda: matrices(SGEMM, 400),
        negative=lambda: matrices(TF32, 400),
        least=lambda: matrices(SGEMM, 11.5),
        below=lambda: matrices(SGEMM, 11.4),
    ),
    CheckCases(
        "PRC04",
        boundary="1 % of the steps",
        positive=lambda: multiplying(TRANSPOSE, 100),
        negative=lambda: multiplying("implicit_convolve_sgemm", 100),
        least=lambda: multiplying(TRANSPOSE, 10),
        below=lambda: multiplying(TRANSPOSE, 9.9),
    ),
    CheckCases(
        "PRC07",
        boundary="1 % of the steps",
        positive=lambda: multiplying(DOUBLE, 100),
        negative=lambda: multiplying(TF32, 100),
        least=lambda: multiplying(DOUBLE, 10),
        below=lambda: multiplying(DOUBLE, 9.9),
    ),
)


def test_only_a_rule_of_the_device_passes() -> None:
    """TF32 says nothing of a device that lacks it."""
    states = {
        device: [
            next(check.state for check in report.checks if check.rule == rule) for rule in ("PRC01", "PRC02")
        ]
        for device in ("Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-80GB")
        for report in [computing("aten::mm", kernels=(TF32,), device=device).report()]
    }
    assert list(states.values()) == [["passed", "not_applicable"], ["passed", "passed"]]
