"""Whose code a line is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

LIBRARY = """
import sys
from tbprof.hook.audit.call_log import own_frame, user_frame
def ask():
    return [find(sys._getframe()).f_code.co_filename for find in (user_frame, own_frame)]
"""


@pytest.mark.slow
def test_libraries_of_an_environment_beneath_this_one_are_installed(tmp_path: Path) -> None:
    beneath = tmp_path / "beneath" / "site-packages"
    beneath.mkdir(parents=True)
    library, program = beneath / "library_beneath.py", tmp_path / "train.py"
    library.write_text(LIBRARY, encoding="utf-8")
    program.write_text("import library_beneath\nprint(*library_beneath.ask(), sep='\\n')", encoding="utf-8")
    path = os.pathsep.join((str(beneath), *filter(None, sys.path)))
    ended = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert ended.stdout.splitlines() == [str(library), str(program)]
