"""What the tests of the hook share: a place of its own for each, and no fault that stays unseen."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from script_runner import ScriptRunner

from tbprof.hook.audit.source_text import import_folders, trace_file_name
from tbprof.hook.safety.guard import Guard

ROOT = Path(__file__).resolve().parents[2]

RunScript = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder below which every spool of the test is."""
    folder = tmp_path / "spool"
    monkeypatch.setenv("TBPROF_SPOOL", str(folder))
    return folder


@pytest.fixture
def expected_faults() -> list[Exception]:
    """Ask for it in a test in which the guard has something to keep from the training."""
    return []


@pytest.fixture(autouse=True)
def no_hidden_fault(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Raise at the end what the guard swallowed, unless the test expects it."""
    hidden: list[Exception] = []
    faults = (
        request.getfixturevalue("expected_faults") if "expected_faults" in request.fixturenames else hidden
    )
    note = Guard.note

    def note_and_keep(guard: Guard, fault: Exception) -> None:
        faults.append(fault)
        note(guard, fault)

    monkeypatch.setattr(Guard, "note", note_and_keep)
    yield
    for fault in hidden:
        raise fault


@pytest.fixture(autouse=True)
def no_profiler_left() -> Iterator[None]:
    """Every test leaves the process without an active profiler."""
    yield
    assert not torch.autograd._profiler_enabled()


@pytest.fixture(autouse=True)
def names_of_this_test() -> None:
    """The folders of the import path are taken once in a process, and each test has its own."""
    import_folders.cache_clear()
    trace_file_name.cache_clear()


@pytest.fixture
def run_script(tmp_path: Path, spool: Path) -> RunScript:
    """Run a training script in a process of its own, in an empty folder."""

    def run(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "train.py"
        path.write_text(textwrap.dedent(script), encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(path), *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TBPROF_SPOOL": str(spool), **environment},
            capture_output=True,
            text=True,
            timeout=100,
        )

    return run


@pytest.fixture
def fork_script(tmp_path: Path, spool: Path, processes: ScriptRunner) -> RunScript:
    """The same, of a script to which it is no matter that torch and the hook are imported already."""

    def run(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "train.py"
        path.write_text(textwrap.dedent(script), encoding="utf-8")
        own = {**os.environ, "TBPROF_SPOOL": str(spool), **environment}
        ended = processes.run([path, *arguments], tmp_path, own)
        assert ended.exit_code is not None, f"it hung: {ended.stderr}"
        return subprocess.CompletedProcess(sys.argv, ended.exit_code, ended.stdout, ended.stderr)

    return run


@pytest.fixture
def training_step() -> Callable[[], float]:
    """One step of a tiny training; returns its loss."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.zeros(8, requires_grad=True)

    def step() -> float:
        inputs = torch.rand(4, 8, generator=generator)
        loss = ((inputs @ weights - 1) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            weights.sub_(0.1 * weights.grad)
            weights.grad = None
        return loss.item()

    return step
