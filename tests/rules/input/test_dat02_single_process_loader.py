"""DAT02: the batches are made in the training process."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from loader_scenes import SINGLE, WORKERS, loading
from rule_scenes import found


def test_batches_made_in_the_training_process_are_found_beside_it() -> None:
    """The starving device has the saving; that it is one process says how to fix it."""
    starving, single = found(loading(40_050, name=SINGLE), "DAT01", "DAT02")
    assert (starving.rule, starving.severity) == ("DAT01", "critical")
    assert (single.rule, single.severity, single.saving, single.count) == ("DAT02", "info", None, 3)


def test_batches_of_workers_are_not_those_of_one_process() -> None:
    assert found(loading(40_050, name=WORKERS), "DAT02") == []


@pytest.mark.parametrize(("exposed", "count"), [(999, 0), (1_000, 1), (4_999, 1)])
def test_from_1_percent_on_a_single_process_matters_by_itself(exposed: float, count: int) -> None:
    findings = found(loading(50 + exposed, name=SINGLE), "DAT01", "DAT02")
    assert [finding.rule for finding in findings] == ["DAT02"] * count
    for finding in findings:
        assert finding.saving is not None
        # And the 10 us from the launch that ends it to the device.
        assert finding.saving.ceiling_ns == 3 * (exposed + 10) * 1000


CASES = (
    CheckCases(
        "DAT02",
        boundary="1 % of the steps",
        positive=lambda: loading(40_050, name=SINGLE),
        negative=lambda: loading(40_050, name=WORKERS),
        least=lambda: loading(1_050, name=SINGLE),
        below=lambda: loading(1_049, name=SINGLE),
    ),
)
