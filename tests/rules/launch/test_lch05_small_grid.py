"""LCH05: kernels are too small for the device."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import found
from trace_builder import TraceBuilder


def small(blocks: float | None, *, kernel_us: float = 500) -> TraceBuilder:
    built = TraceBuilder()
    args = {} if blocks is None else {"blocks per SM": blocks}
    for number in range(3):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.launch(start + 5, start + 8, runs=(start + 10, start + 10 + kernel_us), **args)
    return built


@pytest.mark.parametrize(("blocks", "codes"), [(0.81, []), (0.8, ["LCH05"]), (4.0, [])])
def test_a_tenth_of_the_steps_that_the_device_could_fill(blocks: float, codes: list[str]) -> None:
    """Half of each step: a fifth of the device unused is a tenth of the step."""
    assert [finding.rule for finding in found(small(blocks), "LCH05")] == codes


@pytest.mark.parametrize(("stream", "codes"), [(7, ["LCH05"]), (20, [])])
def test_beside_another_kernel_nothing_is_unused(stream: int, codes: list[str]) -> None:
    built = small(0.25)
    for number in range(3):
        start = 1000.0 * number
        at = start + 10 if stream == 20 else start + 510
        built.launch(start + 8, start + 9, runs=(at, at + 450), stream=stream, **{"blocks per SM": 4.0})
    assert [finding.rule for finding in found(built, "LCH05")] == codes


def test_at_most_what_a_full_device_would_save_is_won() -> None:
    built = small(0.25)
    for number in range(3):
        built.synchronize("cudaStreamSynchronize", 1000 * number + 20, 1000 * number + 515)
    (finding,) = found(built, "LCH05")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 375_000


def test_without_blocks_per_sm_it_is_not_checked() -> None:
    needs = {(row.rule, row.needs) for row in small(None).report().not_checked}
    assert ("LCH05", "blocks per SM") in needs


CASES = (
    CheckCases(
        "LCH05",
        boundary="a tenth of the steps",
        positive=lambda: small(0.1),
        negative=lambda: small(4.0),
        least=lambda: small(0.8),
        below=lambda: small(0.81),
    ),
)
