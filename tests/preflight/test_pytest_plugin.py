"""The fixture and the marker, in a pytest run of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from script_runner import ScriptRunner
from timeouts import PATIENCE_S

pytest.importorskip("torch")

TESTS = """
import pytest

@pytest.mark.tbprof(max_syncs_per_step=1)
def test_within_its_budget(tbprof_preflight):
    import torch
    torch.ones(2, device="cuda").sum().item()

@pytest.mark.tbprof(max_syncs_per_step=1)
def test_beyond_its_budget(tbprof_preflight):
    import torch
    total = torch.ones(2, device="cuda").sum()
    if total > 1:
        total.item()

def test_of_another_kind():
    import torch
    assert not torch.ones(1).is_cuda
"""


PLUGIN = ("-p", "no:cacheprovider", "-p", "tbprof.preflight.pytest_plugin", "--strict-markers")
ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run_pytest(processes: ScriptRunner, folder: Path) -> str:
    ended = processes.run(["-m", "pytest", "-q", *PLUGIN], folder, {**os.environ, **ENVIRONMENT})
    return ended.stdout


def test_a_test_is_held_to_its_budget(processes: ScriptRunner, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    said = run_pytest(processes, tmp_path)
    assert "3 passed, 1 error" in said
    assert "more than 1 predicted sync points in a step" in said
    assert "in test_beyond_its_budget  control flow  [SYN02]" in said


def test_a_run_that_does_not_ask_for_it_holds_no_torch(tmp_path: Path) -> None:
    test = "import sys\ndef test_it():\n    assert 'torch' not in sys.modules\n"
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", *PLUGIN, "-W", "error"]
    variables = {**os.environ, **ENVIRONMENT}
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE_S, env=variables
    )
    assert (ended.returncode, "1 passed" in ended.stdout) == (0, True), ended.stdout


ON_A_GPU = """
import pytest
import torch

@pytest.fixture(scope="session", autouse=True)
def machine_with_a_gpu():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch.cuda, "is_available", lambda: True)
        yield
"""


@pytest.mark.parametrize(
    ("ini", "outcome"),
    [
        ("", "3 passed, 1 error"),
        ("tbprof_with_gpu = run", "3 passed, 1 error"),
        ("tbprof_with_gpu = skip", "1 passed, 2 skipped"),
        ("tbprof_with_gpu = fly", "tbprof_with_gpu = fly means nothing: give run or skip"),
    ],
)
def test_a_machine_with_a_gpu_runs_or_skips_as_it_is_told(
    processes: ScriptRunner, tmp_path: Path, ini: str, outcome: str
) -> None:
    (tmp_path / "conftest.py").write_text(ON_A_GPU, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{ini}\n", encoding="utf-8")
    assert outcome in run_pytest(processes, tmp_path)
