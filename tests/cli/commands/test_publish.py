"""`tbprof publish`, as the hook's child runs it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
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
    assert said[1].startswith("window: GPU idle ")
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
