"""Python in a process of its own, apart from where its parent was started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tbprof.process.isolated import import_path, start_python


def test_modules_of_the_working_folder_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "this.py").write_text("print('not this one')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with start_python("this") as process:
        told, _ = process.communicate()
    assert process.returncode == 0
    assert b"Zen" in told


def test_what_stops_the_parent_s_python_does_not_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    monkeypatch.setenv("PYTHONINSPECT", "1")
    with start_python("tbprof", ["--version"]) as process:
        told, _ = process.communicate()
    assert process.returncode == 0
    assert b"tbprof" in told


def test_variables_are_added_to_those_of_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "show.py").write_text(
        "import os\nprint(*(os.environ[name] for name in 'ABC'), repr(os.environ['CUDA_VISIBLE_DEVICES']))"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("A", "parent")
    monkeypatch.setenv("B", "parent")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    with start_python("show", variables={"B": "own", "C": "own"}) as process:
        told, _ = process.communicate()
    assert told.decode().split() == ["parent", "own", "own", "''"]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a folder in which a process works")
def test_a_parent_whose_folder_is_gone_finds_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), "relative"]))
    monkeypatch.setattr(sys, "argv", [])
    assert str(tmp_path) in import_path()
    assert "relative" not in import_path()
