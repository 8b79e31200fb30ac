"""Alarms about computing on public traces, against what a person read in the raw events.

`tests/data/alarms.json` has one entry for each finding of at least medium: whether it is true, and the
events that show it. It covers the families that judge what a device computes; those about waits and copies
have their truth in `public_traces.md`.
"""

from __future__ import annotations

import json
import pathlib

import pytest
from public_report import PublicReport

JUDGED = json.loads((pathlib.Path(__file__).parents[1] / "data" / "alarms.json").read_text(encoding="utf-8"))
OF_COMPUTING = ("FUS", "OPT", "PRC", "CMP", "INF", "SHR", "ENV")
OTHERS = ("LCH04", "LCH05", "MEM04")

LEAST_PRECISION = 0.95


def test_at_least_95_of_100_alarms_are_true() -> None:
    assert sum(row["true"] for row in JUDGED) >= LEAST_PRECISION * len(JUDGED)
    assert all(row["because"] for row in JUDGED)


def test_each_alarm_has_been_judged(traces: pathlib.Path, public_report: PublicReport) -> None:
    for trace in sorted({row["trace"] for row in JUDGED}):
        alarms = {
            finding.rule
            for finding in public_report(traces / trace).findings
            if finding.severity not in ("low", "info")
            and (finding.rule[:3] in OF_COMPUTING or finding.rule in OTHERS)
        }
        assert alarms == {row["rule"] for row in JUDGED if row["trace"] == trace}


@pytest.mark.parametrize("folder", ["h100_transformer_clean", "h100_bert_small_infer", "vllm_b200_tp8_eager"])
def test_clean_computing_raises_none(folder: str, traces: pathlib.Path, public_report: PublicReport) -> None:
    for path in sorted((traces / folder).glob("*.gz")):
        computing = [
            f for f in public_report(path).findings if f.rule[:3] in OF_COMPUTING or f.rule in OTHERS
        ]
        assert {finding.severity for finding in computing} <= {"info"}
