"""The demo as the command line starts it."""

from __future__ import annotations

from pathlib import Path

import pytest
from trained_demo import TrainedDemo

from tbprof.demo.__main__ import main


def test_it_trains_twice_to_the_same_loss_and_publishes_both_runs(trained_demo: TrainedDemo) -> None:
    losses = [line.split()[-1] for line in trained_demo.said.splitlines() if line.startswith("Loss")]
    assert len(losses) == 2
    assert losses[0] == losses[1]
    for run in ("before", "after"):
        files = [path for path in (trained_demo.logs / run).iterdir() if path.is_file()]
        suffixes = sorted("".join(path.suffixes[-2:]) for path in files)
        assert suffixes == [".json.gz", ".tbprof.pb"]


def test_too_few_steps_are_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--logdir", str(tmp_path), "--steps", "5"]) == 2
    assert capsys.readouterr().err == "The demo can't train for 5 steps; give 11 or more.\n"
    assert list(tmp_path.iterdir()) == []
