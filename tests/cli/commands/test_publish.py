"""`tbprof publish`: as the hook's child runs it, and for what runs left behind."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
ROOT = Path(__file__).parents[3]
STEM = "node1_77.1752215573993169006"


@pytest.fixture
def spooled(tmp_path: Path) -> Path:
    path = tmp_path / "spool" / f"{STEM}.pt.trace.json"
    path.parent.mkdir()
    path.write_bytes(gzip.decompress(CLEAN.read_bytes()))
    return path


def test_a_window_is_published(spooled: Path, tmp_path: Path) -> None:
    ended = run_tbprof("publish", spooled, "--logdir", tmp_path / "run")
    trace = tmp_path / "run" / f"{STEM}.trace.json.gz"
    assert (ended.returncode, ended.stderr) == (0, "")
    said = ended.stdout.splitlines()
    assert said[0] == f"published {trace}"
    assert said[1].startswith("window: The GPU ")
    assert trace.exists()
    assert not spooled.exists()


def test_a_trace_that_is_not_whole_is_one_line_and_set_aside(spooled: Path, tmp_path: Path) -> None:
    spooled.write_bytes(spooled.read_bytes()[:-1000])
    ended = run_tbprof("publish", spooled, "--logdir", tmp_path / "run")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "is not whole" in ended.stderr
    assert [path.suffix for path in spooled.parent.iterdir()] == [".broken"]


def test_a_folder_that_can_not_be_written_to_is_one_line(spooled: Path, tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    ended = run_tbprof("publish", spooled, "--logdir", tmp_path / "run")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert f"the window stays at {spooled}" in ended.stderr


KILLED = """
import os
import torch
import tbprof

with tbprof.TrainerHook("logs/run", schedule=tbprof.Schedule(skip_first=1, warmup=1, active=2)) as hook:
    for step in range(12):
        torch.ones(8).sum().item()
        hook.step()
        if step == 3:
            # The window is in the spool, and nobody has begun to publish it.
            os._exit(9)
"""


@pytest.mark.parametrize("named", ["logs", pytest.param("logs/run", marks=pytest.mark.exhaustive)])
def test_what_a_killed_training_left_is_published_for_its_log_directory_only(
    tmp_path: Path, named: str
) -> None:
    environment = {**os.environ, "TBPROF_SPOOL": str(tmp_path / "spool"), "PYTHONPATH": str(ROOT)}
    trained = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, env=environment, check=False)
    assert trained.returncode == 9
    own = {"TBPROF_SPOOL": str(tmp_path / "spool")}
    elsewhere = run_tbprof("publish", tmp_path / "other", environment=own)
    assert elsewhere.stdout == f"nothing waits to be published for {tmp_path / 'other'}\n"
    asked = run_tbprof("doctor", tmp_path / "logs", environment=own)
    assert f"tbprof publish {tmp_path / 'logs' / 'run'}" in asked.stdout
    ended = run_tbprof("publish", tmp_path / named, environment=own)
    assert (ended.returncode, ended.stdout) == (0, f"{tmp_path / 'logs' / 'run'}: 1 window published\n")
    (trace,) = (tmp_path / "logs" / "run").glob("*.trace.json.gz")
    assert ended.stderr.startswith("tbprof: window 0: ")
    assert ended.stderr.endswith(f"tbprof report {trace}\n")
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_trace_without_its_run_is_one_sentence(spooled: Path) -> None:
    ended = run_tbprof("publish", spooled)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "--logdir DIR" in ended.stderr
