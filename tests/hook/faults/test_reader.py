"""Who reads a log directory while windows are written into it never sees half a file."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from remains import is_published, is_whole, look_at
from script_runner import ScriptRunner, processes_of, wait_for_children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc")

TRAINING = Path(__file__).with_name("many_windows.py")


class Reader:
    """Reads each file as soon as it is there under a published name."""

    def __init__(self, logdir: Path) -> None:
        self._logdir = logdir
        self.read: set[Path] = set()
        self.half: list[Path] = []

    def look(self) -> None:
        for path in self._logdir.rglob("*"):
            if path not in self.read and is_published(path):
                self.read.add(path)
                # The newest windows may push it out while it is read.
                if not is_whole(path) and path.exists():
                    self.half.append(path)


class Killer:
    """Kills a publishing process now and then, wherever it is by then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._random = random.Random(20261120)
        self.killed = 0

    def look(self) -> None:
        for process in processes_of(self._folder):
            if self._random.random() < 0.15:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    self.killed += 1


@contextlib.contextmanager
def meanwhile(*looks: Callable[[], None]) -> Iterator[None]:
    """Call these again and again from another thread."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(0.1):
            for look in looks:
                look()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def check(processes: ScriptRunner, folder: Path, count: int) -> None:
    watched = folder / "watched"
    reader, killer = Reader(watched / "logs"), Killer(folder)
    with meanwhile(reader.look, killer.look):
        arguments = [TRAINING, "hook", watched / "logs", watched / "spool"]
        first = processes.run([*arguments, count], folder, {}, limit_s=9e3)
        wait_for_children(folder)
    with meanwhile(reader.look):
        second = processes.run([*arguments, 1], folder, {}, limit_s=9e3)
        wait_for_children(folder)
    reader.look()
    assert (first.exit_code, second.exit_code) == (0, 0), first.stderr + second.stderr
    assert killer.killed > 0
    assert reader.half == []
    assert len([path for path in reader.read if path.suffix == ".pb"]) == count + 1
    assert look_at(watched).leftovers == []


def test_a_reader_sees_whole_files_only(processes: ScriptRunner, tmp_path: Path) -> None:
    check(processes, tmp_path, 12)


@pytest.mark.exhaustive
def test_a_reader_of_a_thousand_windows_sees_whole_files_only(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    check(processes, tmp_path, 1000)
