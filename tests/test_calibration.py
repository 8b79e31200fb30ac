"""The user's file of predictions beside measurements, and what a report says by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.calibration import FEWEST_PAIRS, append_pair, file_to_append_to, held_on
from tbprof.cli.main import main

DEVICE = "NVIDIA H200"
SAMPLE = Path(__file__).parents[1] / "logs" / "samples" / "resnet_pageable_h200"


def pair(low: float, high: float, device: str = DEVICE) -> dict[str, object]:
    return {"device": device, "predicted_us": (100.0, 300.0), "measured_us": (low, high)}


def test_pairs_of_one_device_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "calibration.jsonl"
    for at in range(FEWEST_PAIRS - 1):
        append_pair(pair(200 + at, 250), path)
        append_pair(pair(0, 10, "another"), path)
    assert held_on(DEVICE, path) is None
    append_pair(pair(310, 400), path)
    assert held_on(DEVICE, path) == (FEWEST_PAIRS - 1, FEWEST_PAIRS)
    for line in (
        "{",
        "[]",
        '{"device": "NVIDIA H200"}',
        '{"device": 3, "predicted_us": [1, 2], "measured_us": [1, 2]}',
    ):
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    assert held_on(DEVICE, path) == (FEWEST_PAIRS - 1, FEWEST_PAIRS)
    assert held_on("", path) is None
    assert held_on(DEVICE, tmp_path / "missing") is None


def test_a_report_says_how_many_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main(["report", "--format", "markdown", str(SAMPLE)]) == 0
    assert "(uncalibrated)" in capsys.readouterr().out
    path = file_to_append_to()
    assert path is not None
    for _ in range(FEWEST_PAIRS):
        append_pair(pair(200, 250), path)
    assert main(["report", "--format", "markdown", str(SAMPLE)]) == 0
    said = capsys.readouterr().out
    assert "(on this device 10 of 10 predictions held)" in said
    assert "uncalibrated" not in said
