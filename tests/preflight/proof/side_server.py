"""Runs sides of proofs in forks of one process that has imported torch; `SideServer` is its client.

As a script, it reads one task a line from stdin, and answers each with the exit code of its process.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from tbprof.preflight.proof.command import _parser, task_of
from tbprof.preflight.proof.judging import Proof, Tasks, prove
from tbprof.preflight.proof.record import Task, read_record, task_text
from tbprof.preflight.proof.running import Ended
from tbprof.preflight.proof.sides import Side


class SideServer:
    """One server; it runs one side at a time."""

    def __init__(self, folder: Path) -> None:
        self.runs = 0
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={
                **os.environ,
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": str(Path(__file__).parents[3]),
                "OMP_NUM_THREADS": "1",
            },
        )

    def __call__(self, task: Task) -> Ended:
        self.runs += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(task_text(task).encode() + b"\n")
        self._process.stdin.flush()
        code = self._process.stdout.readline().decode().strip()
        record = read_record(Path(task.record))
        said = (self._folder / "said").read_text(encoding="utf-8", errors="replace")
        return record, f"ended with {code}: {said[-600:]}"

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def options_of(step_on: str | None) -> argparse.Namespace:
    return _parser().parse_args(["before", "after", *(("--step-on", step_on) if step_on else ())])


def prove_sources(
    server: SideServer, before: str, after: str, folder: Path, step_on: str | None = None
) -> Proof:
    """The proof of a change of one script."""
    options = options_of(step_on)
    tasks = []
    for name, source in (("before", before), ("after", after)):
        root = folder / name
        root.mkdir(parents=True)
        (root / "train.py").write_text(source, encoding="utf-8")
        tasks.append(task_of(Side(name, "train.py", root, root, folder / "original"), options, ()))
    (folder / "runs").mkdir()
    return prove(Tasks(*tasks, folder / "runs", server), threads=2)


def serve() -> None:
    import torch.utils.data

    from tbprof.preflight.proof import one_side

    # What a first step imports, once for all.
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])
    answers = os.fdopen(os.dup(1), "w")
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(said, number)
    for line in iter(sys.stdin.buffer.readline, b""):
        os.truncate("said", 0)
        os.lseek(said, 0, os.SEEK_SET)
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            os.setsid()
            sys.argv = ["one_side", line.decode()]
            code = 1
            try:
                code = one_side.main()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


if __name__ == "__main__":
    serve()
