"""Forks processes off one that has imported torch, which takes seconds: `script_fork_server.py SOCKET`.

From the socket with that file descriptor it reads one JSON object a message: `arguments` (a script,
or `-m` and a module, and what it is given), `folder`, `environment`, `limit_s`; with it comes the
socket on which an answer is wanted. Several may be under way. A forked process runs the script as
Python itself would, and ends in the ordinary way. The answer is an object with `exit_code`, which is
null where the process had to be killed after `limit_s` seconds; its output is in the files `stdout` and
`stderr` of `folder`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import runpy
import signal
import socket
import sys
import time
from pathlib import Path

import torch

with contextlib.suppress(ModuleNotFoundError):
    # What torch's profiler imports at its first start, where it has one.
    import torch._inductor.standalone_compile  # noqa: F401

import tbprof

tbprof.TrainerHook  # noqa: B018 - imported here, once


MOST_BYTES = 100_000
"""Of one message."""


def serve(orders: socket.socket) -> list[str]:
    """Fork for each message; returns in the forked processes only, with what they must run."""
    # Else each of them copies all of torch's objects when its collector first looks at them.
    gc.freeze()
    while True:
        message, answers, *_ = socket.recv_fds(orders, MOST_BYTES, 1)
        _forget_those_that_ended()
        if not message:
            os._exit(0)
        if os.fork() == 0:
            orders.close()
            return _supervise(json.loads(message), socket.socket(fileno=answers[0]))
        os.close(answers[0])


def _forget_those_that_ended() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _supervise(order: dict[str, object], answers: socket.socket) -> list[str]:
    """Fork the process that is wanted, and answer how it ended; returns in that process only."""
    process = os.fork()
    if process == 0:
        answers.close()
        _become(order)
        return list(order["arguments"])  # type: ignore[call-overload]
    answer = {"exit_code": _wait(process, float(str(order["limit_s"])))}
    answers.sendall(json.dumps(answer).encode())
    os._exit(0)


def _become(order: dict[str, object]) -> None:
    folder = Path(str(order["folder"]))
    os.chdir(folder)
    os.environ.update(order["environment"])  # type: ignore[call-overload]
    os.setpgid(0, 0)
    # A shell lets what it starts in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for name, file in (("stdout", 1), ("stderr", 2)):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), file)


def _wait(process: int, limit_s: float) -> int | None:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


if __name__ == "__main__":
    sys.argv = serve(socket.socket(fileno=int(sys.argv[1])))
    if sys.argv[0] == "-m":
        sys.path[0] = str(Path.cwd())
        sys.argv = sys.argv[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        sys.exit()
    __file__ = sys.argv[0]
    sys.path[0] = str(Path(__file__).parent)
    exec(compile(Path(__file__).read_text(encoding="utf-8"), __file__, "exec"))
