"""Processes that only read start numpy without threads, and leave the user's environment as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tbprof.process.one_thread import ONE_THREAD, one_thread

_ALONE = "from tbprof.process.one_thread import one_thread\nwith one_thread(): import numpy"


def threads_after(statement: str) -> int:
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    command = [sys.executable, "-c", f"import os\n{statement}\nprint(len(os.listdir('/proc/self/task')))"]
    return int(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux lists the threads of a process")
def test_numpy_starts_no_threads_inside() -> None:
    assert threads_after(_ALONE) == 1


def test_a_choice_of_the_users_stands_and_the_rest_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with one_thread():
        assert os.environ["OMP_NUM_THREADS"] == "3"
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "OPENBLAS_NUM_THREADS" not in os.environ
