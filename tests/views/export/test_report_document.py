"""The machine-readable report: its keys, its units, and null for what is not known."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from report_samples import REPORT, changed

from tbprof.model import Numbers, Report
from tbprof.rules.sync.words import HeldBack
from tbprof.rules.words import OtherVersion
from tbprof.store.codec import decode_report, encode_report
from tbprof.views.report_document import report_document


def document(report: Report = REPORT) -> Any:
    """As it comes out of JSON."""
    return json.loads(json.dumps(report_document(report), allow_nan=False))


def test_times_are_us_exact_to_the_ns() -> None:
    shown = document()
    assert shown["trace"]["span_us"] == 30_000.123
    assert shown["steps"][1]["wait_us"] == 1.5
    assert shown["steps"][1]["device_idle_us"] == 2000.001
    assert shown["sync_points"]["profiler_own_us"] == [158_000.0]
    assert shown["findings"][0]["evidence"][0] == {
        "kind": "wait",
        "start_us": 12_000.0,
        "duration_us": 40.0,
        "step": None,
        "row": 77,
    }


def all_keys(shown: object) -> set[str]:
    if isinstance(shown, dict):
        return set(shown).union(*(all_keys(value) for value in shown.values()))
    return set().union(*(all_keys(value) for value in shown)) if isinstance(shown, list) else set()


def test_no_time_leaves_in_ns() -> None:
    assert [key for key in all_keys(document()) if key.endswith("_ns")] == []


def test_times_among_numbers_leave_in_us() -> None:
    held = dataclasses.replace(REPORT.findings[0], figures=HeldBack(launches=3, lost_ns=40_500))
    shown = document(changed(findings=(held,)))
    assert shown["findings"][0]["numbers"] == {"launches": 3, "lost_us": 40.5}
    assert shown["trace"]["health"][1]["numbers"] == {"rows": 2, "worst_us": 48.5}


def test_what_was_not_recorded_is_null_and_what_is_zero_is_zero() -> None:
    shown = document()
    assert shown["steps"][1]["idle_empty_us"] is None
    assert shown["steps"][1]["gpu_lag_us"] == 0
    assert shown["trace"]["world_size"] is None
    assert shown["savings"]["estimate_us"] is None
    assert shown["recorded_calls"][0]["pinned"] is None
    assert shown["recorded_calls"][0]["non_blocking"] is False
    assert shown["sites"][1]["source"] is None


def test_parts_that_were_not_computed_are_null() -> None:
    without = changed(idle=None, savings=None, verdict=None, facts=None, findings=(), fix_plan=())
    shown = document(without)
    assert [shown[key] for key in ("idle", "savings", "verdict", "hook")] == [None] * 4
    assert set(shown) == set(document())


def test_idle_comes_as_a_whole_and_by_device() -> None:
    idle = document()["idle"]
    assert set(idle) == {"device_us", "empty_us", "queued_us", "by_cause", "by_device", "places"}
    assert set(idle["by_device"]["0"]) == {"device_us", "empty_us", "queued_us", "by_cause"}
    assert idle["by_cause"] == {"sync": 2000.0}
    assert idle["places"] == [
        {"cause": "sync", "idle_us": 2000.5, "place": "loss", "site": 0, "drained_by": None}
    ]


def test_code_comes_with_what_it_takes() -> None:
    assert document()["code"] == [
        {"kind": "label", "name": "loss", "host_us": 4.5, "device_us": 1.0, "launches": 2, "count": 1}
    ]


def test_health_comes_with_its_sentence() -> None:
    [cold, _] = document()["trace"]["health"]
    assert cold["code"] == "cold_steps"
    assert cold["message"].startswith("1 cold step of 3")


@pytest.mark.parametrize("numbers", [{}, {"share": 0.5}, {"wait_ns": 0}, {"_ns": 1}])
def test_any_numbers_can_be_shown(numbers: Numbers) -> None:
    verdict = dataclasses.replace(REPORT.findings[0], figures=OtherVersion(numbers))
    assert len(document(changed(findings=(verdict,)))["findings"][0]["numbers"]) == len(numbers)


def test_a_report_is_the_same_text_after_it_was_stored() -> None:
    finding = dataclasses.replace(REPORT.findings[0], figures=OtherVersion({"steps": 3, "count": 2}))
    fresh = changed(findings=(finding,))
    stored = decode_report(encode_report(fresh, written_by="0.1"), name="x")
    assert json.dumps(report_document(stored)) == json.dumps(report_document(fresh))
