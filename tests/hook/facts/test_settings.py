"""Switches, variables and the commit that a window was recorded with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window.settings import environment, git_commit, settings


def test_torch_s_switches_are_told_as_they_are() -> None:
    with torch.autograd.set_detect_anomaly(True):
        assert settings(MissingFacts())["anomaly_mode"] == "True"
    told = settings(MissingFacts())
    assert told["anomaly_mode"] == "False"
    assert told["cudnn.benchmark"] == str(torch.backends.cudnn.benchmark)
    assert told["float32_matmul_precision"] in ("highest", "high", "medium")


def test_what_watches_the_python_code_is_named() -> None:
    def watching(*_: object) -> None:
        return None

    before = sys.getprofile()
    sys.setprofile(watching)
    try:
        told = settings(MissingFacts())["python_tracer"]
    finally:
        sys.setprofile(before)
    assert told == (__name__ if sys.gettrace() is None else told)
    assert settings(MissingFacts()).get("memory_history", "False") == "False"


def test_of_the_environment_only_what_matters_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    monkeypatch.setenv("NCCL_P2P_DISABLE", "1")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    told = environment()
    assert (told["CUDA_LAUNCH_BLOCKING"], told["NCCL_P2P_DISABLE"]) == ("1", "1")
    assert "SECRET_TOKEN" not in told


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    folder = tmp_path / "checkout"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "first")
    return folder


def test_the_commit_is_that_of_the_checkout_around_the_folder(checkout: Path) -> None:
    assert git_commit(checkout / "src") == git(checkout, "rev-parse", "HEAD")


def test_references_may_be_packed_and_heads_detached(checkout: Path) -> None:
    git(checkout, "pack-refs", "--all")
    assert git_commit(checkout) == git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", "--quiet", "--detach")
    assert git_commit(checkout) == git(checkout, "rev-parse", "HEAD")


def test_a_worktree_has_a_commit_of_its_own(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "worktree", "add", "--quiet", str(tmp_path / "other"), "-b", "other")
    git(tmp_path / "other", "commit", "--quiet", "--allow-empty", "-m", "second")
    assert git_commit(tmp_path / "other") == git(tmp_path / "other", "rev-parse", "HEAD")
    assert git_commit(checkout) == git(checkout, "rev-parse", "HEAD")


def test_without_a_checkout_or_a_commit_there_is_none(tmp_path: Path, checkout: Path) -> None:
    assert git_commit(tmp_path) is None
    git(checkout, "checkout", "--quiet", "--orphan", "empty")
    assert git_commit(checkout) is None
