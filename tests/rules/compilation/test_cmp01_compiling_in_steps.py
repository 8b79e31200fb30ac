"""CMP01: code is compiled in the steps."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import each_step, found
from trace_builder import TraceBuilder

from tbprof.model import Scope
from tbprof.texts.rule_pages import fix_words


def compiling(length_us: float) -> TraceBuilder:
    return each_step(lambda built, at: built.op("entire_frame_compile (dynamo_timed)", at, at + length_us))


@pytest.mark.parametrize(("length_us", "codes"), [(9, []), (10, ["CMP01"])])
def test_one_percent_of_the_steps_is_worth_a_word(length_us: float, codes: list[str]) -> None:
    findings = found(compiling(length_us), "CMP01")
    assert [finding.rule for finding in findings] == codes


def test_what_the_device_waits_for_is_won_at_most() -> None:
    (finding,) = found(compiling(400), "CMP01")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 400_000
    assert finding.severity == "critical"


def test_on_a_cpu_it_is_what_compiling_takes() -> None:
    built = TraceBuilder()
    for number in range(3):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.op("entire_frame_compile (dynamo_timed)", start + 10, start + 310)
        built.op("aten::mkldnn_convolution", start + 400, start + 900)
    (finding,) = found(built, "CMP01")
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 3 * 300_000)
    said = finding.figures.sentence(Scope("a step", "a step"))
    assert said.replace("\u202f", " ") == "Compiling takes 0.3 ms a step, 30 % of a step."


def test_compiled_code_that_compiles_nothing_passes() -> None:
    states = {check.rule: check.state for check in compiled_before().report().checks}
    assert states["CMP01"] == "passed"
    plain = each_step(lambda built, at: built.op("aten::mm", at, at + 100))
    assert {check.rule: check.state for check in plain.report().checks}["CMP01"] == "not_applicable"


@pytest.mark.parametrize(
    ("regions", "action"),
    [
        (("0/0", "1/0"), "Start the recording later"),
        (("0/0", "0/1"), "Keep the inputs of compiled code the same, or mark what varies"),
        ((), "Keep the inputs of compiled code the same, or mark what varies"),
    ],
)
def test_what_is_compiled_for_the_first_time_is_compiled_once(regions: tuple[str, ...], action: str) -> None:
    """Torch numbers a function and its forms: `0/1` is the second one of the first function."""
    built = compiling(400)
    for at, region in enumerate(regions):
        built.annotation(f"Torch-Compiled Region: {region}", 500 + 10 * at, 505 + 10 * at)
    (finding,) = found(built, "CMP01")
    assert fix_words(finding).action == action


def compiled_before() -> TraceBuilder:
    return each_step(lambda built, at: built.annotation("Torch-Compiled Region: 0/0", at, at + 100))


CASES = (
    CheckCases(
        "CMP01",
        boundary="1 % of the steps",
        positive=lambda: compiling(400),
        negative=compiled_before,
        least=lambda: compiling(10),
        below=lambda: compiling(9),
    ),
)
