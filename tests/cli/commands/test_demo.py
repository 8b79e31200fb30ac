"""`tbprof demo`: the samples need no torch, the training says what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof

WITHOUT_TORCH = """
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "torchvision"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Missing())
import importlib.util
find_spec = importlib.util.find_spec
missing = ("torch", "torchvision")
importlib.util.find_spec = lambda name, *rest: None if name in missing else find_spec(name, *rest)
"""


@pytest.fixture
def without_torch(tmp_path: Path) -> dict[str, str]:
    """An environment in which torch can't be imported."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WITHOUT_TORCH, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


def test_the_samples_are_shown_without_torch(without_torch: dict[str, str]) -> None:
    ended = run_tbprof("demo", "--sample", "--no-serve", environment=without_torch)
    assert (ended.returncode, ended.stderr) == (0, "")
    for sample in SAMPLES.glob("*/*.json.gz"):
        assert f"{sample.parent.name}: The GPU is idle " in ended.stdout
    assert "  First: pin the batches" in ended.stdout


def test_the_training_says_that_torch_is_missing(without_torch: dict[str, str], tmp_path: Path) -> None:
    ended = run_tbprof("demo", "--no-serve", "--logdir", tmp_path / "logs", environment=without_torch)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "needs torch and torchvision: pip install 'tbprof[demo]'" in ended.stderr
    assert "tbprof demo --sample" in ended.stderr
    assert not (tmp_path / "logs").exists()
