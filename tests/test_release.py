"""A release but for its upload: both archives built, checked, small, and at work in a bare environment."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tbprof.rules.files import rule_files
from tbprof.version import __version__

pytest.importorskip("hatchling")
ROOT = Path(__file__).parents[1]
MOST_BYTES = 6_000_000
"""Of the wheel, samples included: `uvx tbprof report` loads it first."""


def run(*command: str, cwd: Path = ROOT) -> str:
    unseen = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(command, cwd=cwd, env=unseen, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as the registry's users may."""
    folder = tmp_path_factory.mktemp("release")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder))
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    source = folder / f"tbprof-{__version__}"
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=source)
    return folder / f"tbprof-{__version__}-py3-none-any.whl"


def test_the_registry_would_take_both_archives(wheel: Path) -> None:
    pytest.importorskip("twine")
    archives = [str(path) for path in wheel.parent.iterdir() if path.is_file()]
    assert len(archives) == 2
    assert run(sys.executable, "-m", "twine", "check", "--strict", *archives).count("PASSED") == 2


def test_the_wheel_is_small_and_whole(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        "tbprof/static/index.js",
        "tbprof/manual/hook.md",
        "tbprof/texts/guides.json",
        "tbprof/py.typed",
    }
    wanted |= {f"tbprof/{file.path.relative_to(ROOT / 'tbprof').as_posix()}" for file in rule_files()}
    assert wanted - held == set()


def test_it_works_where_nothing_else_is_installed(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", str(tmp_path / "bare"))
    python = str(tmp_path / "bare" / "bin" / "python")
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel), cwd=tmp_path)
    tbprof = str(tmp_path / "bare" / "bin" / "tbprof")
    assert run(tbprof, "--version", cwd=tmp_path) == f"tbprof {__version__}\n"
    assert "hook " in run(tbprof, "manual", cwd=tmp_path)
    assert "idle" in run(tbprof, "demo", "--sample", "--no-serve", cwd=tmp_path)
    has_torch = "import importlib.util; print(importlib.util.find_spec('torch'))"
    assert run(python, "-c", has_torch) == "None\n"
