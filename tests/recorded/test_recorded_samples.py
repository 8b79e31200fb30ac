"""Samples from a recording: the chosen windows, cut to few enough bytes, still say the same."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from recorded_samples import chosen_windows, fitted
from scenes import host_bound
from shortened_trace import count_steps, packed, shortened

from tbprof.report import build_report

RECORDED_ON_A_CPU = Path(__file__).parents[1] / "data" / "programs_on_a_cpu"


def test_chosen_windows_are_named_after_device_and_program() -> None:
    samples = list(chosen_windows(RECORDED_ON_A_CPU, None))
    assert [sample.name for sample in samples] == [
        "classifier_0_before_cpu",
        "classifier_1_constant_cpu",
        "classifier_3_index_cpu",
    ]


def test_a_window_of_the_hook_comes_first(tmp_path: Path) -> None:
    host_bound().write(tmp_path / "patch-3-index.trace.json.gz", gz=True)
    counts = {each.name: count_steps(each.document) for each in chosen_windows(RECORDED_ON_A_CPU, tmp_path)}
    assert counts["classifier_3_index_cpu"] == 4


def test_the_largest_lose_steps_until_all_fit_and_none_loses_its_last() -> None:
    samples = list(chosen_windows(RECORDED_ON_A_CPU, None))
    most = sum(len(sample.content) for sample in samples) * 2 // 3
    fitting = fitted(samples, most)
    assert sum(len(sample.content) for sample in fitting) <= most
    assert all(count_steps(sample.document) >= 1 for sample in fitting)
    assert {count_steps(sample.document) for sample in fitted(samples, 0)} == {1}


def test_a_shortened_trace_says_of_its_steps_what_the_whole_one_says(tmp_path: Path) -> None:
    whole = host_bound(4).to_json()
    (tmp_path / "whole.json.gz").write_bytes(packed(whole, "whole"))
    (tmp_path / "short.json.gz").write_bytes(packed(shortened(whole, 2), "short"))
    before, after = (build_report(tmp_path / f"{name}.json.gz") for name in ("whole", "short"))
    assert after.steps == before.steps[:2]
    assert after.sync_points.wait_ns * 2 == before.sync_points.wait_ns


def test_a_sample_does_not_tell_where_it_was_recorded() -> None:
    facts = {
        "worker": "workstation_1",
        "settings": {"platform": "Linux-6.1-of-workstation", "python": "3.12"},
    }
    named = {"traceName": "/home/user/window.json", "host_name": "workstation", "tbprof": facts}
    told = json.loads(gzip.decompress(packed({**host_bound(1).to_json(), **named}, "window.json")))
    assert (told["traceName"], told["host_name"]) == ("window.json", "")
    assert told["tbprof"] == {"worker": "window", "settings": {"platform": "", "python": "3.12"}}
