"""A process that the program which starts it never meets, whatever that does with its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tbprof.process.detached import start_detached

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a program waits there for what it has started alone")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a shell is seen for a moment")

NEVER_MET = """
import os, signal, sys, threading, time
from pathlib import Path
from tbprof.process.detached import start_detached
met = []
signal.signal(signal.SIGCHLD, lambda *_: met.append("SIGCHLD"))
begin, end = threading.Event(), threading.Event()
def wait_for_any():
    begin.set()
    while not end.is_set():
        try:
            met.append(os.wait())
        except ChildProcessError:
            pass
threading.Thread(target=wait_for_any, daemon=True).start()
begin.wait()
folder = Path(sys.argv[1])
started = [start_detached("tbprof", ["--version"], folder=folder, output=folder / "said") for _ in range(5)]
assert all(one.wait(60) for one in started), "it does not end"
end.set()
print(met, [one.exit_code for one in started], (folder / "said").read_text().count("tbprof"))
"""

SHOWS_ITSELF = """
import os, signal, subprocess, sys
print(os.getsid(0) == os.getpid(), os.nice(0), signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL)
print(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
print(open("/proc/self/stat").read().rpartition(")")[2].split()[1] != sys.argv[1])
"""


def run_program(program: str, *arguments: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module `made`, which the processes that are started find."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "made.py"


@needs_linux
def test_no_wait_and_no_handler_of_the_program_meets_it(tmp_path: Path) -> None:
    assert run_program(NEVER_MET, str(tmp_path)) == "[] [0, 0, 0, 0, 0] 5"


@needs_linux
@pytest.mark.parametrize("disposition", [signal.SIG_IGN, signal.SIG_DFL])
def test_it_stands_apart(module: Path, tmp_path: Path, disposition: signal.Handlers) -> None:
    module.write_text(SHOWS_ITSELF)
    before = signal.signal(signal.SIGCHLD, disposition)
    try:
        process = start_detached("made", [str(os.getpid())], folder=tmp_path, output=tmp_path / "said")
        assert process.wait(60)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (tmp_path / "said").read_text().splitlines() == ["True 19 True", "set()", "True"]
    assert process.exit_code == 0


def test_how_it_ended_is_known_unless_it_was_killed(module: Path, tmp_path: Path) -> None:
    module.write_text("import sys\nsys.exit(int(sys.argv[1]))")
    three = start_detached("made", ["3"], folder=tmp_path)
    assert three.wait(60)
    assert three.exit_code == 3
    module.write_text("import time\ntime.sleep(60)")
    endless = start_detached("made", folder=tmp_path)
    assert not endless.wait(0.2)
    endless.kill()
    assert endless.wait(60)
    assert endless.exit_code is None


@needs_linux
def test_a_program_that_closes_all_its_files_keeps_those_that_it_opens_then(tmp_path: Path) -> None:
    program = """
import os, sys, time
from pathlib import Path
from tbprof.process.detached import start_detached
process = start_detached("tbprof", ["--version"], folder=Path(sys.argv[1]))
os.closerange(3, 256)
mine, other = os.pipe()
os.write(other, b"of the program")
print(process.wait(60), os.read(mine, 99))
process.leave()
os.write(other, b"open")
print(os.read(mine, 99))
"""
    assert run_program(program, str(tmp_path)) == "True b'of the program'\nb'open'"


def test_a_fork_of_the_program_does_not_hold_it_up(module: Path, tmp_path: Path) -> None:
    module.write_text("import time\ntime.sleep(0.5)")
    process = start_detached("made", folder=tmp_path)
    if (child := os.fork()) == 0:
        time.sleep(30)
        os._exit(0)
    try:
        assert process.wait(20)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert process.exit_code == 0


@pytest.mark.parametrize("executable", [None, ""])
def test_an_embedded_python_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(OSError, match=r"does not say where Python is \(sys.executable is empty\)"):
        start_detached("tbprof", folder=tmp_path)
