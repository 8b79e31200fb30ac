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
    path = tmp_path / "spool" / ("0" * 16) / "node1-0.0-77-5" / f"{STEM}.pt.trace.json"
    path.parent.mkdir(parents=True)
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
    assert not spooled.parent.exists()


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--move",)])
def test_a_trace_of_somebody_else_stays_unless_it_is_to_be_moved(
    spooled: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    mine = tmp_path / "mine" / spooled.name
    mine.parent.mkdir()
    spooled.rename(mine)
    assert run_tbprof("publish", mine, "--logdir", tmp_path / "run", *options).returncode == 0
    assert mine.exists() is (not options)
    assert mine.parent.exists()


def test_a_broken_trace_of_somebody_else_keeps_its_name(tmp_path: Path) -> None:
    mine = tmp_path / "mine.pt.trace.json"
    mine.write_text('{"traceEvents": [')
    assert run_tbprof("publish", mine, "--logdir", tmp_path / "run").returncode == 2
    assert mine.exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", ["-1", "0", "x", "9" * 30])
def test_no_number_of_windows_to_keep_is_refused(spooled: Path, tmp_path: Path, number: str) -> None:
    ended = run_tbprof("publish", spooled, "--logdir", tmp_path / "run", "--keep-windows", number)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert spooled.exists()


def test_a_place_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    ended = run_tbprof("publish", tmp_path / "nowhere")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)


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


@pytest.mark.slow
@pytest.mark.parametrize("named", ["logs", pytest.param("logs/run", marks=pytest.mark.exhaustive)])
def test_what_a_killed_training_left_is_published_for_its_log_directory_only(
    tmp_path: Path, named: str
) -> None:
    environment = {**os.environ, "TBPROF_SPOOL": str(tmp_path / "spool"), "PYTHONPATH": str(ROOT)}
    trained = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, env=environment, check=False)
    assert trained.returncode == 9
    own = {"TBPROF_SPOOL": str(tmp_path / "spool")}
    (tmp_path / "other").mkdir()
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
