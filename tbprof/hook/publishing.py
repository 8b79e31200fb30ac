"""The child processes that turn a spooled window into files of the log directory."""

from __future__ import annotations

import contextlib
import logging
import os
import site
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import tbprof
from tbprof.hook.processes import process_name
from tbprof.hook.spool import PUBLISHER_PREFIX, log_path

__all__ = ["Publisher"]

logger = logging.getLogger("tbprof")

DROPPED_VARIABLES = ("PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONDEVMODE")
"""They are meant for the training; a warning that becomes an error there must not stop us here."""


class Publisher:
    """Starts one child for each window and tells what became of it; never waits unasked."""

    def __init__(self, logdir: str) -> None:
        self._logdir = logdir
        self._running: dict[Path, subprocess.Popen[bytes]] = {}
        self.published = 0
        self.failed = 0

    @property
    def running(self) -> tuple[Path, ...]:
        """The traces that are being published."""
        return tuple(self._running)

    def start(self, trace: Path) -> None:
        """Publish a trace in a process of its own, which outlives this one if it must."""
        log = log_path(trace)
        try:
            with log.open("ab") as output:
                process = _start_child(trace, self._logdir, output.fileno())
                output.write(f"{PUBLISHER_PREFIX}{process_name(process.pid)}\n".encode())
        except OSError as error:
            self.failed += 1
            logger.warning("%s could not be published now and waits for the next run: %s", trace, error)
            return
        self._running[trace] = process

    def collect(self) -> None:
        """Look which children have ended, without waiting for any."""
        for trace, process in list(self._running.items()):
            if process.poll() is not None:
                del self._running[trace]
                self._note_end(trace, process.returncode)

    def wait(self, wait_s: float) -> None:
        """Wait for the children, at most `wait_s` seconds in all."""
        deadline = time.monotonic() + wait_s
        with contextlib.suppress(subprocess.TimeoutExpired):
            for process in self._running.values():
                process.wait(max(0.0, deadline - time.monotonic()))
        self.collect()

    def leave(self) -> None:
        """Let the running children go on by themselves, when this process will not ask again."""
        for process in self._running.values():
            # Else Popen would warn that a child outlives it, which is meant here.
            process.returncode = 0
        self._running.clear()

    def _note_end(self, trace: Path, exit_code: int) -> None:
        log = log_path(trace)
        if exit_code == 0:
            self.published += 1
            log.unlink(missing_ok=True)
            return
        self.failed += 1
        logger.warning("%s could not be published: %s", trace, _reason(log, exit_code))


def _start_child(trace: Path, logdir: str, output: int) -> subprocess.Popen[bytes]:
    # -P and the working directory keep the training's own files off the child's import path.
    isolation = ["-P"] if sys.version_info >= (3, 11) else []
    return subprocess.Popen(
        [sys.executable, *isolation, "-m", "tbprof", "publish", str(trace), "--logdir", logdir],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd=trace.parent,
        env=_child_environment(),
        start_new_session=True,
    )


def _child_environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in DROPPED_VARIABLES}
    environment["CUDA_VISIBLE_DEVICES"] = ""
    environment["PYTHONPATH"] = os.pathsep.join(_child_import_path())
    return environment


def _child_import_path() -> list[str]:
    """What the child needs beyond its own installation to find the same tbprof.

    The folders of the training script stay out: a `numpy.py` there must break nothing.
    """
    training = {Path.cwd(), Path(sys.argv[0]).absolute().parent}
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    asked_for = [Path(entry).absolute() for entry in entries if entry]
    folders = [folder for folder in asked_for if folder not in training]
    home = Path(tbprof.__file__).absolute().parent.parent
    if home not in _installed_packages():
        folders.insert(0, home)
    return [str(folder) for folder in folders]


def _installed_packages() -> set[Path]:
    paths = sysconfig.get_paths()
    return {Path(folder) for folder in (paths["purelib"], paths["platlib"], site.getusersitepackages())}


def _reason(log: Path, exit_code: int) -> str:
    """The last line that the child wrote, which is its error."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    said = [line for line in lines if line and not line.startswith(PUBLISHER_PREFIX)]
    if not said:
        return f"the publishing process ended with code {exit_code} and said nothing"
    return said[-1].removeprefix("tbprof: ")
