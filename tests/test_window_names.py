"""What names say, and how a window's trace and report find each other by them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from minimal_importer import Spans

from tbprof import window_names
from tbprof.file_names import RAW_SUFFIX, REPORT_SUFFIX, rank_of
from tbprof.trace.importers import torch_profiler
from tbprof.window_names import WindowName, parse_window_name


@pytest.mark.parametrize(
    ("file_name", "worker", "time_ns"),
    [
        ("node1_77.1752215573993169006.pt.trace.json", "node1_77", 1752215573993169006),
        ("node1_77.1752215573993169006.pt.trace.json.gz", "node1_77", 1752215573993169006),
        ("node1_77.1752215573993169.trace.json.gz", "node1_77", 1752215573993169000),
        ("worker0.1623143089861.pt.trace.json.gz", "worker0", 1623143089861000000),
        ("node1_77_rank3.1752215573993169006.tbprof.pb", "node1_77_rank3", 1752215573993169006),
        ("host.example.com_5.1623143089861.pt.trace.json", "host.example.com_5", 1623143089861000000),
        ("dc3b_3169006.pt.trace.json.gz", "dc3b_3169006", None),
        ("rank0_trace.json", "rank0_trace", None),
        ("amg_HEAD.json.gz", "amg_HEAD", None),
        ("worker.12345.pt.trace.json", "worker.12345", None),
        ("训练机_1.1752215573993169006.pt.trace.json", "训练机_1", 1752215573993169006),
        (".json", ".json", None),
        ("", "", None),
    ],
)
def test_a_name_tells_worker_and_time(file_name: str, worker: str, time_ns: int | None) -> None:
    name = parse_window_name(file_name)
    assert (name.worker, name.time_ns) == (worker, time_ns)


@given(st.text(max_size=40))
def test_any_name_can_be_taken_apart(file_name: str) -> None:
    name = parse_window_name(file_name)
    assert file_name.startswith(name.stem)
    assert name.stem.startswith(name.worker)


@given(st.from_regex(r"[a-z]{1,8}_\d{1,5}(_rank\d)?", fullmatch=True), st.integers(10**18, 10**19 - 1))
def test_a_trace_and_its_report_share_their_stem(worker: str, time_ns: int) -> None:
    endings = (REPORT_SUFFIX, RAW_SUFFIX, ".pt.trace.json")
    names = {parse_window_name(f"{worker}.{time_ns}{ending}") for ending in endings}
    assert len(names) == 1


@pytest.mark.parametrize("ending", [".csv", ".trace.csv", ".tbprof.pb", ".trace.json.gz"])
def test_each_importer_names_the_endings_of_its_files(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_names, "IMPORTERS", (torch_profiler, Spans()))
    name = parse_window_name(f"w_rank3.1700000000000000000{ending}")
    assert name == WindowName("w_rank3.1700000000000000000", "w_rank3", 1_700_000_000_000_000_000)
    assert rank_of(name.worker) == 3
