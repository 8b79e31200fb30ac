"""How Python is started for what needs torch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tbprof.cli.torch_command import command_with_torch


def test_what_python_was_told_of_warnings_is_told_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(sys, "warnoptions", ["error", "ignore::FutureWarning"])
    command = command_with_torch("warnings", [])
    module = command.index("-m")
    shown = [*command[:module], "-c", "import sys; print(sys.warnoptions[-2:])"]
    ended = subprocess.run(shown, capture_output=True, text=True, check=True)
    assert ended.stdout == "['error', 'ignore::FutureWarning']\n"
