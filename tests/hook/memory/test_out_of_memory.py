"""Where memory runs out under the hook, the exception goes on as it came, and a file says what held it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from stand_in_cuda import StandInCuda

from tbprof import TrainerHook, safe_open
from tbprof.cli.main import main
from tbprof.model import OutOfMemory
from tbprof.store.memory_files import OUT_OF_MEMORY_FILE

RunScript = Callable[..., "subprocess.CompletedProcess[str]"]

PETABYTE = 1 << 50

# c10/cuda/CUDACachingAllocator.cpp, DeviceCachingAllocator::malloc.
ON_A_GPU = (
    "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 1 has a total capacity of 79.15 GiB of which"
    " 1.25 GiB is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use."
)

LIMITED = """
    import resource, sys, torch, tbprof

    model = torch.nn.Linear(1000, 500)
    optimizer = torch.optim.Adam(model.parameters())
    with tbprof.TrainerHook(sys.argv[1]) as hook:
        model(torch.randn(4, 1000)).sum().backward()
        optimizer.step()
        hook.step()
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 100_000_000,) * 2)
        kept = [torch.ones(5_000_000) for _ in range(3)]
        torch.ones(50_000_000)
"""


WITHOUT_WITH = """
    import sys, torch, tbprof

    hook = tbprof.TrainerHook(sys.argv[1])
    hook.step()
    if sys.argv[2] == "got over":
        try:
            torch.empty(1 << 50, dtype=torch.uint8)
        except RuntimeError:
            pass
    else:
        torch.empty(1 << 50, dtype=torch.uint8)
"""


def left_in(logdir: Path) -> list[OutOfMemory]:
    return [OUT_OF_MEMORY_FILE.read(path) for path in logdir.glob("*.out_of_memory.json")]


def failing(logdir: Path, error: BaseException) -> None:
    """It arrives unchanged."""
    hook = TrainerHook(logdir)
    with pytest.raises(type(error)) as raised, hook:
        hook.step()
        raise error
    assert raised.value is error


def test_a_request_that_is_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match=str(PETABYTE)), TrainerHook(tmp_path) as hook:
        hook.step()
        torch.empty(PETABYTE, dtype=torch.uint8)

    (found,) = left_in(tmp_path)
    assert (found.device, found.step, found.asked_bytes) == ("CPU", 1, PETABYTE)
    assert "test_a_request_that_is_too_large" in found.frames[0]
    assert main(["report", str(next(tmp_path.glob("*.out_of_memory.json")))]) == 0
    assert "The request alone is larger than the memory" in capsys.readouterr().out


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="it asks Linux how much is used")
def test_a_process_at_its_limit(fork_script: RunScript, tmp_path: Path) -> None:
    ended = fork_script(LIMITED, tmp_path / "run")

    assert ended.returncode == 1
    assert ended.stderr.rstrip().splitlines()[-1].startswith("RuntimeError: "), ended.stderr
    assert "Profiling ends here" not in ended.stderr
    (found,) = left_in(tmp_path / "run")
    parameters = 4 * (1000 * 500 + 500)
    assert (found.held.parameters_bytes, found.held.gradients_bytes) == (parameters, parameters)
    assert found.held.optimizer_bytes == 2 * parameters + 2 * 4, "two moments, and each parameter's count"
    assert found.held.is_whole
    assert found.held.largest[0] == ("[5000000] float32", 3, 60_000_000)
    assert found.total_bytes is not None
    assert found.free_bytes is not None
    assert found.free_bytes < found.total_bytes


@pytest.mark.parametrize(("how", "files"), [("left", 1), ("got over", 0)])
def test_a_program_that_ends_on_it_without_with(
    fork_script: RunScript, tmp_path: Path, how: str, files: int
) -> None:
    ended = fork_script(WITHOUT_WITH, tmp_path / "run", how)
    assert ended.returncode == files, ended.stderr
    assert [found.asked_bytes for found in left_in(tmp_path / "run")] == [PETABYTE] * files


def test_a_gpu_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StandInCuda(devices=2).install(monkeypatch)
    answers: dict[str, Any] = {
        "mem_get_info": (1_000_000_000, 80_000_000_000),
        "memory_allocated": 60_000_000_000,
        "memory_reserved": 75_000_000_000,
    }
    for name, answer in answers.items():
        monkeypatch.setattr(torch.cuda, name, lambda _, answer=answer: answer)

    failing(tmp_path, torch.OutOfMemoryError(ON_A_GPU))

    (found,) = left_in(tmp_path)
    assert (found.device, found.asked_bytes) == ("GPU 1", 5 << 29)
    sizes = (found.total_bytes, found.free_bytes, found.allocated_bytes, found.reserved_bytes)
    assert sizes == (80_000_000_000, 1_000_000_000, 60_000_000_000, 75_000_000_000)


def test_a_gpu_that_no_longer_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(torch.cuda, "mem_get_info", fails)
    failing(tmp_path, torch.OutOfMemoryError(ON_A_GPU))
    assert left_in(tmp_path)[0].total_bytes is None


def test_memory_of_python_and_what_another_error_was_raised_for(tmp_path: Path) -> None:
    failing(tmp_path / "python", MemoryError())
    wrapped = ValueError("the step failed")
    wrapped.__cause__ = MemoryError("no more")
    failing(tmp_path / "wrapped", wrapped)
    assert [found.message for found in left_in(tmp_path / "wrapped")] == ["no more"]
    assert len(left_in(tmp_path / "python")) == 1


@pytest.mark.parametrize("error", [RuntimeError("shapes differ"), KeyboardInterrupt(), SystemExit(3)])
def test_other_errors_leave_nothing(error: BaseException, tmp_path: Path) -> None:
    failing(tmp_path, error)
    assert left_in(tmp_path) == []


def test_a_folder_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected_faults: list[Exception]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safe_open, "open_new", full)
    failing(tmp_path, MemoryError())
    assert [type(fault) for fault in expected_faults] == [OSError]


def test_a_torch_without_the_device_tells_what_the_error_does(tmp_path: Path) -> None:
    message = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB"
    failing(tmp_path, torch.OutOfMemoryError(message))
    (found,) = left_in(tmp_path)
    assert (found.device, found.asked_bytes) == ("GPU 0", 2 * 1024**3)
    assert torch.cuda.is_available() or found.total_bytes is None


def test_of_an_error_that_was_caught_the_way_out_is_told_too(tmp_path: Path) -> None:
    def ask() -> None:
        raise MemoryError

    def load() -> None:
        try:
            ask()
        except MemoryError as error:
            raise SystemExit(3) from error

    with pytest.raises(SystemExit), TrainerHook(tmp_path) as hook:
        hook.step()
        load()
    (found,) = left_in(tmp_path)
    functions = [frame.rpartition(" ")[2] for frame in found.frames]
    here = "test_of_an_error_that_was_caught_the_way_out_is_told_too"
    assert functions == ["ask", "load", "load", here], "where it was caught, and where it was raised again"
