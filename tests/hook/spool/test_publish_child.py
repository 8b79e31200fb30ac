"""What a publishing child is started with: the same tbprof, and nothing else of the training."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import tbprof
from tbprof.hook.publishing import start_child
from tbprof.hook.spool import log_path

HOME = Path(tbprof.__file__).resolve().parent.parent

SHOW_YOURSELF = """\
import json, os, sys
print(json.dumps({
    "arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ),
    "stdin": sys.stdin.read(),
}))
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Start a child whose interpreter shows how it was started, and return what it shows."""
    (tmp_path / "show.py").write_text(SHOW_YOURSELF)
    interpreter = tmp_path / "python"
    interpreter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "show.py"}" "$@"\n')
    interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    trace = tmp_path / "spool" / "w.1.pt.trace.json"
    trace.parent.mkdir()

    def start() -> dict[str, Any]:
        assert start_child(trace, "/logs/run", ()).wait(60)
        shown: dict[str, Any] = json.loads(log_path(trace).read_text())
        return shown

    return start


@pytest.mark.skipif(os.name != "posix", reason="the interpreter is a shell script")
class TestChild:
    def test_it_is_the_publish_command_with_absolute_paths(self, child: Any, tmp_path: Path) -> None:
        isolation = ["-P"] if sys.version_info >= (3, 11) else []
        trace = str(tmp_path / "spool" / "w.1.pt.trace.json")
        arguments = child()["arguments"]
        _pipe = arguments.pop(len(isolation) + 2)
        starter = [*isolation, "-m", "tbprof.process.beside"]
        assert arguments == [*starter, "tbprof", "publish", trace, "--logdir", "/logs/run"]

    def test_it_runs_apart_from_the_training(self, child: Any, tmp_path: Path) -> None:
        shown = child()
        assert shown["folder"] == str(tmp_path / "spool")
        assert shown["stdin"] == ""

    def test_it_sees_no_gpu(self, child: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
        assert child()["environment"]["CUDA_VISIBLE_DEVICES"] == ""

    @pytest.mark.parametrize("name", ["PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONDEVMODE"])
    def test_switches_of_the_training_s_interpreter_are_not_passed_on(
        self, child: Any, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        monkeypatch.setenv(name, "1")
        assert name not in child()["environment"]

    def test_it_finds_this_tbprof_and_the_folders_that_were_asked_for(
        self, child: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["libraries", ".", ""]))
        assert child()["environment"]["PYTHONPATH"].split(os.pathsep) == [
            str(HOME),
            str(tmp_path / "libraries"),
        ]

    def test_an_installed_tbprof_needs_no_folder(self, child: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PYTHONPATH", raising=False)
        monkeypatch.setattr("sysconfig.get_paths", lambda: {"purelib": str(HOME), "platlib": str(HOME)})
        assert child()["environment"]["PYTHONPATH"] == ""


def test_a_frozen_program_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OSError, match="a frozen program has no Python to start"):
        start_child(tmp_path / "w.1.pt.trace.json", str(tmp_path), ())
