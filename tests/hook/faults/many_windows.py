"""A training with as many windows as wanted: `many_windows.py LOGDIR SPOOL COUNT`.

It waits where windows come faster than they are published, and prints one JSON object a window
with what the process holds by then.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from pathlib import Path

import torch

import tbprof

MOST_WAITING = 4
PAGE = os.sysconf("SC_PAGE_SIZE")


def held() -> dict[str, int]:
    """Of what a process that leaks has more and more."""
    return {
        "memory_bytes": int(Path("/proc/self/statm").read_text().split()[1]) * PAGE,
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "python_threads": threading.active_count(),
        "children": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
    }


def main(logdir: str, spool: str, count: int) -> None:
    logging.basicConfig(level=logging.WARNING, format="%(name)s %(levelname)s %(message)s")
    schedule = tbprof.Schedule(skip_first=1, wait=9, warmup=1, active=1, repeat=count)
    weights, told = torch.zeros(8, requires_grad=True), 0
    with tbprof.TrainerHook(logdir, schedule=schedule, worker="worker", spool=spool) as hook:
        while told < count:
            ((torch.rand(4, 8) @ weights - 1) ** 2).mean().backward()
            hook.step()
            waiting = len(list(Path(spool).rglob("*.facts.json")))
            if waiting > MOST_WAITING:
                time.sleep(0.05)
            recorded = hook._run._session.windows.recorded if hook._run._session else 0
            while told < recorded:
                told += 1
                sys.stdout.write(json.dumps(held()) + "\n")
        hook.close(wait_s=60)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
