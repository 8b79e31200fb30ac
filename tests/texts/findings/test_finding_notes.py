"""What a finding's numbers say in a sentence."""

from __future__ import annotations

import pathlib

import pytest

from tbprof.model import Finding, Numbers
from tbprof.report import build_report
from tbprof.rules.words import OTHER_VERSION, found_figures, remedy_of
from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import finding_note

STEP = scope_of(marks_steps=True)
LAUNCHES: Numbers = {
    "place": "",
    "median_kernel_ns": 4000,
    "ops_per_step": 9.0,
    "idle_per_step_ns": 1_000_000,
    "graph_blockers": 0,
}


def finding(rule: str, numbers: Numbers) -> Finding:
    figures, remedy = found_figures(rule, numbers), remedy_of(numbers)
    return Finding(rule, "low", (), (), 1, "rewrite", None, "high", (), figures, "", remedy)


@pytest.mark.parametrize(
    ("rule", "numbers", "note"),
    [
        ("SYN05", {"per_step": 7}, "7 round trips a step."),
        ("SYN02", {"hint": "lightning_log"}, "self.log brings its value to the host"),
        ("SYN10", {"joint_ns": 12_400_000, "singles_ns": 8_900_000}, "in the window, one by one 8.9\u202fms"),
        (
            "LCH01",
            {**LAUNCHES, "place": "loss", "kernels_per_step": 9.0},
            '9 kernels a step, 4\u202fµs long at the median, launched by 9 ops, in record_function("loss").',
        ),
        (
            "CPY13",
            {"copies": 2, "bytes": 9, "gb_per_s": 3.25, "best_gb_per_s": 12.5},
            "3.25 GB/s, where 12.5 GB/s were seen",
        ),
    ],
)
def test_the_figures_of_a_finding_become_a_sentence(rule: str, numbers: Numbers, note: str) -> None:
    assert note in finding_note(finding(rule, numbers), STEP)


def test_an_upload_that_asked_not_to_be_waited_for_is_not_said_to_cost_nothing() -> None:
    numbers: Numbers = {"bytes": 1 << 20, "call_ns": 300_000, "is_batch": 1}
    assert "The host copies" not in finding_note(finding("CPY01", numbers), STEP)
    note = finding_note(finding("CPY01", {**numbers, "is_staged_without_wait": 1}), STEP)
    assert note.endswith("The host copies them itself, and launches nothing meanwhile.")


def test_figures_of_another_version_are_said_to_be_that() -> None:
    assert finding_note(finding("SYN05", {"times": 7}), STEP) == OTHER_VERSION
    assert finding_note(finding("SYN02", {"hint": "of_another_version"}), STEP) == OTHER_VERSION
    assert finding_note(finding("XYZ99", {"per_step": 7}), STEP) == OTHER_VERSION


def test_a_real_finding_names_the_option_of_its_framework() -> None:
    samples = pathlib.Path(__file__).parents[3] / "logs" / "samples"
    report = build_report(samples / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    notes = {found.rule: finding_note(found, STEP) for found in report.findings}
    assert "attention_mask" in notes["SYN02"]
    assert "long at the median" in notes["LCH01"]


def test_kernels_that_no_recorded_op_launched_are_not_said_to_have_none() -> None:
    numbers = {**LAUNCHES, "kernels_per_step": 8772, "median_kernel_ns": 2000, "ops_per_step": 0}
    note = finding_note(finding("LCH01", numbers), scope_of(marks_steps=False))
    assert note == (
        "8,772 kernels in the window, 2\u202fµs long at the median, outside every label and function."
    )


def test_in_a_window_without_steps_no_figure_is_one_of_a_step() -> None:
    note = finding_note(finding("SYN05", {"per_step": 7}), scope_of(marks_steps=False))
    assert note == "7 round trips in the window."


def test_a_value_that_is_used_at_once_is_needed_here() -> None:
    note = finding_note(finding("SYN01", {"bytes": 4, "used_at_once": 1}), STEP)
    assert note.startswith("Needed here: ")
    both = finding_note(finding("SYN05", {"per_step": 7, "used_at_once": 1}), STEP)
    assert both.startswith("7 round trips a step. Needed here: ")
