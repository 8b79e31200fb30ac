"""What it costs to list a log directory: `python tests/bench/listing.py`.

Prints the table of `listing.md`: CPU time of finding the windows of 100,000 stored reports in 1,000
folders, the first time and again with nothing changed, beside `os.walk` over the same folders; each in
a process of its own, the least of seven.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from tbprof.store.discovery import Discovery  # noqa: E402
from tbprof.trace.importers.sniffing import looks_like_trace  # noqa: E402

FOLDERS, FILES = 1000, 100
ROUNDS = 7
_LONG_AGO_S = 1_600_000_000


def main() -> None:
    print(f"{date.today()}, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as logdir:
        fill(Path(logdir))
        walks, first, again = [], [], []
        for _ in range(ROUNDS):
            walks += in_a_process(_walk, logdir)
            listed = in_a_process(_list, logdir)
            first.append(listed[0])
            again.append(min(listed[1:]))
    print("| | CPU ms | of os.walk |\n|---|---|---|")
    for title, took_s in (("os.walk", walks), ("first listing", first), ("again, unchanged", again)):
        print(f"| {title} | {min(took_s) * 1000:.0f} | {min(took_s) / min(walks):.2f} |")


def in_a_process(measure: Callable[[str], list[float]], logdir: str) -> list[float]:
    """Neither finds memory there that the other one has left."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(measure, logdir).result()


def _walk(logdir: str) -> list[float]:
    return [cpu_s(lambda: sum(1 for _ in os.walk(logdir)))]


def _list(logdir: str) -> list[float]:
    discovery = Discovery(Path(logdir), looks_like_trace)
    took_s = [cpu_s(discovery.find) for _ in range(4)]
    assert len(discovery.find().windows) == FOLDERS * FILES
    return took_s


def fill(logdir: Path) -> None:
    for run in range(FOLDERS):
        folder = logdir / f"group{run % 10}" / f"run{run}"
        folder.mkdir(parents=True)
        for number in range(FILES):
            (folder / f"host_1_rank{number}.{1752215573993169006 + number}.tbprof.pb").touch()
    for path, _, _ in os.walk(logdir):
        os.utime(path, (_LONG_AGO_S, _LONG_AGO_S))


def cpu_s(call: Callable[[], object]) -> float:
    before = time.process_time()
    call()
    return time.process_time() - before


if __name__ == "__main__":
    main()
