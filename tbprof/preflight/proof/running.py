"""Runs a side in a process of its own, which leaves a record and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from tbprof.preflight.proof.record import SideRecord, Task, read_record, task_text

_GRACE_SECONDS = 15.0
_SAID_LINES = 12

Ended: TypeAlias = "tuple[SideRecord | None, str]"
"""The record of a run; where there is none, why."""

Run: TypeAlias = Callable[[Task], Ended]


def run_in_process(task: Task) -> Ended:
    """Run it in a process group of its own, whose children end with it."""
    said = Path(task.record).with_suffix(".said")
    temporary = Path(task.record).with_suffix(".tmp")
    temporary.mkdir(exist_ok=True)
    warnings = [f"-W{option}" for option in sys.warnoptions]
    command = [sys.executable, *warnings, "-m", "tbprof.preflight.proof.one_side", task_text(task)]
    with said.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=temporary,
            env=_environment(temporary, task),
            start_new_session=True,
        )
        with ended_with_its_children(process, temporary):
            try:
                code = process.wait(task.time_limit + _GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                return (
                    None,
                    f"did not end within the time limit of {task.time_limit:g} s; --time-limit sets another",
                )
    record = read_record(Path(task.record))
    if record is None or record.prediction.error:
        _show_end_of(said)
    if record is not None:
        return record, ""
    by = f"signal {-code}" if code < 0 else f"exit code {code}"
    return None, f"ended its process by {by}, before preflight could say anything: {_last_line(said)}"


@contextmanager
def ended_with_its_children(process: subprocess.Popen[bytes], temporary: Path) -> Iterator[None]:
    """A block after which neither the process is left, nor what it started."""
    try:
        yield
    finally:
        if hasattr(os, "killpg"):
            # The group is there as long as one of it is.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
        _end_marked(os.fsencode(f"TMPDIR={temporary}\0"))


def _end_marked(mark: bytes) -> None:
    """End what left the group, where the system shows the environment of its processes."""
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in file.read_bytes():
                os.kill(int(file.parent.name), signal.SIGKILL)


def _environment(temporary: Path, task: Task) -> dict[str, str]:
    """The user's own, with what makes two runs alike, and without a GPU or a network."""
    same = {
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "TMPDIR": str(temporary),
        "TEMP": str(temporary),
        "HF_HUB_OFFLINE": "1",
        "WANDB_MODE": "offline",
    }
    # The process has no folder of the program's to import from yet.
    own = str(Path(__file__).parents[3])
    paths = [own, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    threads = {} if task.threads is None else {"OMP_NUM_THREADS": str(task.threads)}
    return {**os.environ, **same, **threads, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _show_end_of(said: Path) -> None:
    lines = said.read_text(encoding="utf-8", errors="replace").splitlines()[-_SAID_LINES:]
    for line in lines:
        sys.stderr.write(f"    {line}\n")


def _last_line(said: Path) -> str:
    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
