"""Forks processes off one that has imported torch, which takes seconds: `process_nursery.py`.

It reads one JSON object a line: `arguments` (a script and what it is given), `folder`,
`environment`, `limit_s`. A forked process runs the script as Python itself would, and ends in the
ordinary way. The answer is a line with `exit_code`, which is null where the process had to be
killed after `limit_s` seconds; its output is in the files `stdout` and `stderr` of `folder`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import torch
import torch._inductor.standalone_compile  # noqa: F401 - what torch's profiler imports at its first start

import tbprof

tbprof.TrainerHook  # noqa: B018 - imported here, once


def serve() -> list[str]:
    """Fork for each line; returns in the forked processes only, with what they must run."""
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            _become(order)
            return list(order["arguments"])
        sys.stdout.write(json.dumps({"exit_code": _wait(process, order["limit_s"])}) + "\n")
        sys.stdout.flush()
    os._exit(0)


def _become(order: dict[str, object]) -> None:
    folder = Path(str(order["folder"]))
    os.chdir(folder)
    os.environ.update(order["environment"])  # type: ignore[call-overload]
    os.setpgid(0, 0)
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
    sys.argv = serve()
    __file__ = sys.argv[0]
    sys.path[0] = str(Path(__file__).parent)
    exec(compile(Path(__file__).read_text(encoding="utf-8"), __file__, "exec"))
