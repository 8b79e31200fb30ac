"""Gates of CI on windows that can't be judged: nothing found there is no pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from trace_builder import TraceBuilder

from tbprof.cli.main import main

LAUNCHES = 40
GATES = (("check", "--forbid", "SYN01"), ("report", "--fail-on", "critical"))


def launching(*, lost: int) -> TraceBuilder:
    """A step of 40 launches, of which the profiler lost so many kernels: with 20, each other one."""
    trace = TraceBuilder()
    trace.step(1, 0, 4_000)
    for number in range(LAUNCHES):
        at = 100.0 * number
        trace.op("aten::mm", at, at + 20)
        if lost == LAUNCHES or (lost and number % 2):
            trace.call("cudaLaunchKernel", at + 5, at + 10)
        else:
            trace.launch(at + 5, at + 10, runs=(at + 20, at + 110))
    return trace


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("lost", [20, 40])
def test_a_window_that_lacks_the_gpus_work_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: tuple[str, ...], lost: int
) -> None:
    path = launching(lost=lost).write(tmp_path / "host_1.1.pt.trace.json")
    assert main([*gate, str(path), "--no-cache"]) == 2
    said = (
        f"tbprof: {path}: the recording lacks the GPU's work of {lost} of 40 launches: it can't be judged\n"
    )
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("gate", GATES)
def test_a_window_that_is_whole_passes(tmp_path: Path, gate: tuple[str, ...]) -> None:
    path = launching(lost=0).write(tmp_path / "host_1.1.pt.trace.json")
    assert main([*gate, str(path), "--no-cache"]) == 0


@pytest.mark.parametrize("gate", GATES)
def test_a_file_that_is_cut_off_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: tuple[str, ...]
) -> None:
    path = launching(lost=0).write(tmp_path / "host_1.1.pt.trace.json")
    path.write_bytes(path.read_bytes()[:-600])
    assert main([*gate, str(path), "--no-cache"]) == 2
    assert "the file is cut off among its events" in capsys.readouterr().err
