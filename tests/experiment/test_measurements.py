"""Measurements of torch.utils.benchmark, read without running anything of their pickles."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch.utils.benchmark as benchmark

from tbprof.errors import UsageError
from tbprof.experiment.ab import run
from tbprof.experiment.measurements import times_of


def measurement(times: list[float], statement: str = "x") -> benchmark.Measurement:
    return benchmark.Measurement(10, times, benchmark.TaskSpec(statement, "pass"))


def written(path: Path, value: object, protocol: int = 4) -> Path:
    path.write_bytes(pickle.dumps(value, protocol))
    return path


@pytest.mark.parametrize("protocol", [4, 5])
def test_times_are_those_of_one_run(tmp_path: Path, protocol: int) -> None:
    pair = [measurement([1.0, 2.0]), measurement([3.0])]
    assert times_of(written(tmp_path / "a.pkl", pair, protocol)) == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"raw_times": [1.0]}, "holds no Measurement"),
        ([measurement([1.0]), measurement([1.0], "y")], "holds measurements of 2 tasks"),
        (measurement([0.0]), "holds times that are none"),
        (Path("/"), "it holds an object of pathlib"),
        ([], "holds measurements of 0 tasks"),
    ],
)
def test_what_is_none_is_said(tmp_path: Path, value: object, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        times_of(written(tmp_path / "a.pkl", value))


def test_two_files_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, factor in (("a.pkl", 1.0), ("b.pkl", 0.8)):
        times = [factor * (1 + 0.01 * (at % 5)) for at in range(40)]
        written(tmp_path / name, measurement(times))
    assert run([str(tmp_path / "a.pkl"), str(tmp_path / "b.pkl")]) == 0
    said = capsys.readouterr().out
    assert "20 % faster" in said
    assert "They were not measured in turns" in said
