"""The step times of two windows, by each clock that both have."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed, step

from tbprof.model import Report
from tbprof.views.compared_sites import CompareSteps, compare_steps, is_told


def timed(median_ns: int, low_ns: int, high_ns: int) -> Report:
    """With steps that the hook timed without the profiler."""
    assert REPORT.facts is not None
    quartiles = (low_ns, high_ns)
    facts = dataclasses.replace(REPORT.facts, unprofiled_step_ns=median_ns, unprofiled_quartiles_ns=quartiles)
    return changed(facts=facts)


def compared(before: Report, after: Report) -> tuple[CompareSteps, ...]:
    return compare_steps(before, after)


def test_steps_without_the_profiler_decide_where_both_sides_have_them() -> None:
    before, after = timed(3_000_000, 2_900_000, 3_100_000), timed(2_000_000, 1_900_000, 2_100_000)
    unprofiled, recorded = compared(before, after)
    assert (unprofiled.is_unprofiled, recorded.is_unprofiled) == (True, False)
    assert (unprofiled.after.low_us, unprofiled.after.high_us) == (1_900.0, 2_100.0)
    assert recorded.before.steps_us == (3_000.0, 5_000.0)
    assert is_told(unprofiled)
    assert unprofiled.text == (
        "They differ by 1.0\u202fms; up to 0.1\u202fms can be noise: the difference is real."
    )


def test_a_profiled_step_and_an_unprofiled_one_are_no_pair() -> None:
    [steps] = compared(timed(3_000_000, 2_900_000, 3_100_000), REPORT)
    assert not steps.is_unprofiled
    assert steps.text.endswith("can be noise: this may be none.")


def test_medians_within_the_quartiles_are_no_difference() -> None:
    before, after = timed(3_000_000, 2_500_000, 3_100_000), timed(2_600_000, 2_500_000, 2_700_000)
    assert is_told(compared(before, after)[0]) is False


def test_one_outlier_hides_no_difference() -> None:
    before, after = (
        changed(steps=tuple(step(number, 1_000_000 * length) for number, length in enumerate(lengths)))
        for lengths in ((149, 150, 152, 153, 155, 159), (118, 122, 123, 127, 160, 207))
    )
    [steps] = compared(before, after)
    assert (steps.before.middle_us, steps.after.middle_us) == (152_500.0, 125_000.0)
    assert is_told(steps)


def test_a_single_step_has_no_noise_to_tell() -> None:
    [steps] = compared(changed(steps=(step(0, 4_400_000),)), REPORT)
    assert (steps.before.low_us, is_told(steps)) == (None, None)
    assert steps.text.endswith("a single step does not show how much of that is noise.")
