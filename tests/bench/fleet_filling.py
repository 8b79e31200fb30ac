"""How soon the list of all runs fills by itself, against `tbprof fleet`.

`python tests/bench/fleet_filling.py [RUNS]`: 200 runs of one plain trace each, no two of the same content.
They are the small public traces of TBPROF_TRACES.
"""

from __future__ import annotations

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / part) for part in ("support", "plugin")]

from conftest import Tab  # noqa: E402 - found by the path above

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
USERS = 8
FIRST_NS = 1_752_215_573_000_000_000
LARGEST_BYTES = 1_000_000
SMALLEST_BYTES = 20_000


def put_runs(folder: pathlib.Path) -> None:
    found = pathlib.Path(os.environ["TBPROF_TRACES"]).rglob("*.json.gz")
    traces = sorted(path for path in found if SMALLEST_BYTES < path.stat().st_size < LARGEST_BYTES)
    contents = [gzip.decompress(path.read_bytes()) for path in traces if "malformed" not in path.parts]
    for number in range(RUNS):
        run = folder / f"user{number % USERS}" / f"train-{number:03d}"
        run.mkdir(parents=True)
        content = contents[number % len(contents)] + b" " * (1 + number)
        name = f"w.{FIRST_NS + number * 3600 * 1_000_000_000}.pt.trace.json.gz"
        (run / name).write_bytes(gzip.compress(content, 1))


class Pages(threading.Thread):
    """Somebody who opens a window again and again meanwhile; of a stored report, as most are."""

    def __init__(self, tab: Tab) -> None:
        super().__init__(daemon=True)
        self.tab, self.times_s, self.is_over = tab, list[float](), False

    def run(self) -> None:
        while not self.is_over:
            began = time.perf_counter()
            self.tab.get("window", run="looked", worker="w", window=f"w.{FIRST_NS}.tbprof.pb")
            self.times_s.append(time.perf_counter() - began)
            time.sleep(1)


def filled(logs: pathlib.Path) -> tuple[float, float, list[float]]:
    """Seconds to the first row and to all, and what pages took meanwhile."""
    tab, began, first = Tab(str(logs)), time.perf_counter(), 0.0
    pages = Pages(tab)
    pages.start()
    while True:
        answer = tab.get("fleet", sort="recorded").json
        ready = sum(row["state"] != "unread" for row in answer["rows"] if row["run"] != "looked")
        first = first or (time.perf_counter() - began if ready else 0.0)
        if not answer["reading"]:
            break
        time.sleep(0.2)
    whole = time.perf_counter() - began
    pages.is_over = True
    tab.plugin.close()
    return first, whole, pages.times_s


def put_report(logs: pathlib.Path) -> None:
    """A window that somebody looks at."""
    from fleet_runs import report_of_commit

    from tbprof.store.codec import encode_report

    (logs / "looked").mkdir()
    stored = encode_report(report_of_commit("a" * 40), written_by="0.1")
    (logs / "looked" / f"w.{FIRST_NS}.tbprof.pb").write_bytes(stored)


def main() -> None:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder) / "logs"
        put_runs(logs)
        put_report(logs)
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(folder) / "tab")
        first, whole, pages = filled(logs)
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(folder) / "command")
        began = time.perf_counter()
        command = [sys.executable, "-m", "tbprof", "fleet", str(logs)]
        subprocess.run(command, check=True, capture_output=True)
        alone = time.perf_counter() - began
    slow = sorted(pages)[int(0.95 * (len(pages) - 1))]
    print(f"load {load:.1f} at the start\n\n| {RUNS} runs, a plain trace each | s |\n|---|---|")
    print(f"| the first row in the tab | {first:.1f} |\n| all rows in the tab | {whole:.1f} |")
    print(
        f"| `tbprof fleet`, its whole process | {alone:.1f} |\n| the tab against it | {whole / alone:.2f} |"
    )
    print(f"| a page meanwhile, 95 % of {len(pages)} within | {slow:.2f} |")


if __name__ == "__main__":
    main()
