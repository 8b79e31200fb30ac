"""A report made from kept columns is the report made from the file."""

from __future__ import annotations

import pathlib

import pytest

from tbprof.folders import cache_folder
from tbprof.report import build_report
from tbprof.trace import column_cache

NAMES = [
    "kineto_resnet50_nw0/worker0.1623143089861.pt.trace.json.gz",
    "hta_critical_path/alexnet.json.gz",
    "mi300_bert_small_infer/mi300_bert_small.json.gz",
    "sam_amg_a100/amg_HEAD.json.gz",
    "hta_degenerate/cpu_only.json.gz",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_kept_columns_give_the_same_report(
    traces: pathlib.Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_cache, "WORTH_KEEPING_BYTES", 1)
    plain = build_report(traces / name)
    assert not cache_folder().exists()

    first, second = (build_report(traces / name, use_cache=True) for _ in range(2))

    assert len(list((cache_folder() / "columns").iterdir())) == 1
    assert plain == first == second
