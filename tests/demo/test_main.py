"""The demo as the command line starts it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from trained_demo import TrainedDemo

from tbprof.demo.__main__ import main

FAULTS = {
    "torch.tensor(WEIGHTS, device=device)": "Make this tensor once",
    "assert labels.max() < logits.shape[1]": "Decide on the GPU",
    "[range(len(labels)), labels]": "Make this tensor once",
}


def test_it_trains_twice_and_publishes_both_runs(trained_demo: TrainedDemo) -> None:
    for run in ("before", "after"):
        files = [path for path in (trained_demo.logs / run).iterdir() if path.is_file()]
        suffixes = sorted("".join(path.suffixes[-2:]) for path in files)
        assert suffixes == [".json.gz", ".run_time.json", ".tbprof.pb"]


def test_it_ends_with_before_after_and_what_to_do(trained_demo: TrainedDemo) -> None:
    before, after, own = trained_demo.said.splitlines()[-3:]
    assert before.startswith("Before: ")
    assert after.startswith("After:  ")
    assert after.endswith("The loss is the same.")
    assert "`tbprof preflight train.py`" in own


def test_it_tells_how_far_it_is_and_nothing_else(trained_demo: TrainedDemo) -> None:
    told = trained_demo.told.splitlines()
    assert told[0].startswith("Starting")
    assert any(line.startswith(("before: step", "before: analyzing")) for line in told)
    assert "USDT" not in trained_demo.told
    assert "window 0" not in trained_demo.told


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU records times, and predicts nothing")
def test_without_a_gpu_it_names_the_three_lines_with_their_fix(trained_demo: TrainedDemo) -> None:
    lines = trained_demo.said.splitlines()
    named = [at for at, line in enumerate(lines) if line.startswith("  tbprof/demo/before.py:")]
    assert len(named) == len(FAULTS)
    for code, fix in FAULTS.items():
        (at,) = (at for at in named if code in lines[at])
        assert fix in lines[at + 1]


def test_too_few_steps_are_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--logdir", str(tmp_path), "--steps", "5"]) == 2
    assert capsys.readouterr().err == "The demo can't train for 5 steps; give 11 or more.\n"
    assert list(tmp_path.iterdir()) == []
