"""Alarms on public traces, against what a person read in the raw events.

`tests/data/alarms.json` has one entry for each finding of at least medium, of whatever family: whether it is
true, and the events that show it. Times were added up from the JSON by a program that shares no code with
tbprof (union of the device's rows, calls of the host by their correlation); idle counts from the first step
to the last, and from the first row to the last where no steps are marked.
"""

from __future__ import annotations

import json
import pathlib

import pytest
from public_report import PublicReport

DATA = pathlib.Path(__file__).parents[1] / "data"
JUDGED = json.loads((DATA / "alarms.json").read_text(encoding="utf-8"))
SAID = json.loads((DATA / "public_traces.json").read_text(encoding="utf-8"))
"""What tbprof says of each, which another test compares."""
OF_COMPUTING = ("FUS", "OPT", "PRC", "CMP", "INF", "SHR", "ENV", "LCH05", "MEM04")

LEAST_PRECISION = 0.95


def test_at_least_95_of_100_alarms_are_true() -> None:
    assert sum(row["true"] for row in JUDGED) >= LEAST_PRECISION * len(JUDGED)
    assert all(row["because"] for row in JUDGED)


def test_each_alarm_has_been_judged() -> None:
    alarms = {
        (trace, code)
        for trace, said in SAID.items()
        for code, severity in map(str.split, said["findings"])
        if severity not in ("low", "info")
    }
    assert alarms == {(row["trace"], row["rule"]) for row in JUDGED}


@pytest.mark.parametrize("folder", ["h100_transformer_clean", "h100_bert_small_infer", "vllm_b200_tp8_eager"])
def test_clean_computing_raises_none(folder: str, traces: pathlib.Path, public_report: PublicReport) -> None:
    for path in sorted((traces / folder).glob("*.gz")):
        computing = [f for f in public_report(path).findings if f.rule.startswith(OF_COMPUTING)]
        assert {finding.severity for finding in computing} <= {"info"}
