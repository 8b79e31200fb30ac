"""`tbprof report --format json`: every key of its schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import SAMPLES
from report_schema import IDLE, SCHEMA, differences, forbid

from tbprof.cli.main import main

SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("trace", sorted(SAMPLES.glob("*/*.json.gz")), ids=lambda path: path.parent.name)
def test_json_has_every_key_of_the_schema(trace: Path, capsys: Capture) -> None:
    assert main(["report", str(trace), "--format", "json", "--no-cache"]) == 0
    printed = json.loads(capsys.readouterr().out, parse_constant=forbid)
    assert printed["schema"] == 1
    assert differences(printed, SCHEMA) == []
    if printed["idle"] is not None:
        for device in printed["idle"]["by_device"].values():
            assert differences(device, IDLE) == []


def test_the_schema_check_sees_what_is_missing_or_of_another_type(capsys: Capture) -> None:
    assert main(["report", str(SAMPLE), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    del printed["trace"]["rank"]
    printed["sites"][0]["count"] = True
    printed["steps"][0]["wait_us"] = None
    printed["savings"]["estimate_us"] = "soon"
    assert sorted(differences(printed, SCHEMA)) == [
        ".savings.estimate_us is str",
        ".sites[0].count is bool",
        ".steps[0].wait_us is NoneType",
        ".trace.rank is missing",
    ]
