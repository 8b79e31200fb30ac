"""What is missing for a good recording, a sentence each."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch

import tbprof
from tbprof.hook import doctor
from tbprof.hook.doctor import environment_problems, folder_problems, main, past_problems, torch_problems


@pytest.mark.skipif(torch.cuda.is_available() or torch.xpu.is_available(), reason="there is a GPU")
def test_a_machine_without_a_gpu_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(tmp_path / "logs")])
    said = json.loads(capsys.readouterr().out)
    assert [note[:17] for note in said["notes"]] == ["torch sees no GPU"]
    assert (said["recording"], said["runs"]) == ([], [])


@pytest.mark.skipif(os.name != "posix", reason="elsewhere names of files are Unicode")
def test_a_folder_without_a_printable_name_is_no_obstacle(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logdir = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    tbprof.TrainerHook(logdir).close()
    main([str(logdir)])
    (said,) = json.loads(capfd.readouterr().out)["runs"]
    assert "No window was recorded" in said


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA or ROCm device")
def test_a_machine_with_a_gpu_records_its_work() -> None:
    assert list(torch_problems()) == []


def test_an_old_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.5.1+cu121")
    assert any("torch is 2.5.1+cu121" in problem for problem in torch_problems())


@pytest.mark.parametrize("name", ["CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH"])
def test_variables_that_spoil_a_recording_are_named(name: str) -> None:
    (problem,) = environment_problems({name: "1"})
    assert problem.startswith(f"{name} is set")
    assert list(environment_problems({"CUDA_LAUNCH_BLOCKING": "0"})) == []


def test_folders_are_tried_and_left_as_they_were(tmp_path: Path) -> None:
    assert list(folder_problems(tmp_path / "logs")) == []
    assert not (tmp_path / "logs").exists()


def test_a_log_directory_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    (problem,) = folder_problems(tmp_path / "logs" / "run")
    assert "can't be written to" in problem


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 2**62)
    (problem,) = folder_problems(tmp_path / "logs")
    assert "TBPROF_SPOOL" in problem


def test_a_spool_beneath_the_log_directory_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBPROF_SPOOL", str(tmp_path / "logs" / "spool"))
    assert list(past_problems(tmp_path / "logs")) == []
    (problem,) = folder_problems(tmp_path / "logs")
    assert "lies beneath the log directory" in problem
