"""The line about the device's time."""

from __future__ import annotations

from typing import Any

import pytest

from tbprof.model import Computing, ComputingPart, GpuUse
from tbprof.texts.figures.computing import computing_sentence, gpu_use_sentence, roofline_sentence


def part(kind: str, device_ns: int, covered_ns: int = 0, above_ns: int | None = None) -> ComputingPart:
    return ComputingPart(kind, device_ns, covered_ns, 0, 0, None, above_ns)


def said(
    *parts: ComputingPart,
    uncovered_share: float = 0.0,
    mfu: float | None = None,
    device: str | None = "H100 SXM",
) -> str:
    total = sum(one.device_ns for one in parts)
    covered = sum(one.covered_ns for one in parts)
    unknown: dict[str, Any] = dict.fromkeys(("limit_ns", "above_limit_ns", "reached_tflops", "limit_tflops"))
    sentence = computing_sentence(
        Computing(
            device_ns=total,
            computing_ns=total,
            covered_ns=covered,
            flops=0,
            bytes=0,
            mfu=mfu,
            device=device,
            uncovered_share=uncovered_share,
            parts=parts,
            **unknown,
        )
    )
    return sentence.replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_the_largest_parts_are_named_with_how_near_their_limit_they_are() -> None:
    text = said(
        *(part("matmul", 610, 610, 378), part("attention", 200, 200, 140), part("communication", 140)),
        *(part("element-wise", 46), part("reduction", 4)),
    )
    assert text == (
        "Where the device's time goes: 61 % matrix products at 38 % of their limit, "
        "20 % attention at 30 % of their limit, 14 % communication."
    )


def test_what_is_mostly_not_covered_has_no_limit_and_the_share_is_said() -> None:
    text = said(part("matmul", 900, 100, 50), part("other", 100), uncovered_share=0.9, mfu=0.31)
    assert text == (
        "Where the device's time goes: 90 % matrix products, 10 % other work. "
        "No formula covers 90 % of the computing. Model FLOPs utilization (MFU) of the steps: 31 %."
    )


def test_of_a_device_without_known_rates_it_is_said_once() -> None:
    """Nothing would have a limit without shapes either: then the rates are not what is missing."""
    unknown = "The rates of this GPU are not known, so nothing says how near its limits that is."
    assert said(part("matmul", 700, 700), part("other", 300), device=None).count(unknown) == 1
    assert unknown not in said(part("matmul", 700), part("other", 300), device=None)
    assert unknown not in said(part("matmul", 700, 700, 100))


def test_nothing_is_said_of_a_device_that_did_nothing() -> None:
    assert said() == ""


@pytest.mark.parametrize(
    ("covered", "begins"),
    [(0.8, "`aten::mm` loses most"), (0.3, "Formulas cover 30\u202f% of the device's time. Of")],
)
def test_the_worst_operator_is_told_with_how_much_formulas_know(covered: float, begins: str) -> None:
    sentence = roofline_sentence("aten::mm", 0.38, 4100.0, 0.1, covered_share=covered, a_step=True)
    assert sentence.startswith(begins)
    assert "it reaches 38\u202f% of its limit, 4.1\u202fms a step above it, 10\u202f% of" in sentence


@pytest.mark.parametrize(
    ("last", "said"), [(0.171, "GPU utilization 17\u202f%"), (0.2, "GPU utilization 17\u202f% to 20\u202f%")]
)
def test_many_gpus_that_are_used_alike_have_one_figure(last: float, said: str) -> None:
    used = [GpuUse(device, 5, 0.17 if device < 7 else last, None, None) for device in range(8)]
    assert gpu_use_sentence(used) == said
