"""What the list of all runs costs, with 5,000 of two windows each: `python tests/bench/fleet.py`."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / part) for part in ("support", "plugin")]

from conftest import Tab  # noqa: E402 - found by the path above
from fleet_runs import FIRST_NS, HOUR_NS, report_of_commit  # noqa: E402 - found by the path above

from tbprof.store.codec import encode_report  # noqa: E402 - found by the path above

RUNS = 5_000
TEAMS = 25
COMMITS = 20


def put_runs(folder: pathlib.Path) -> None:
    reports = [
        encode_report(report_of_commit(f"{commit:040x}", f"lib/part{commit}.py"), written_by="0.1")
        for commit in range(COMMITS)
    ]
    for number in range(RUNS):
        run = folder / f"team{number % TEAMS}" / f"train-{number:05d}"
        run.mkdir(parents=True)
        for window in range(2):
            at_ns = FIRST_NS + (2 * number + window) * HOUR_NS
            (run / f"w.{at_ns}.tbprof.pb").write_bytes(reports[number // TEAMS % COMMITS])


def measured(do: Callable[[], object]) -> str:
    """The best of three, as a row's cells: ms on the clock, ms of this process's own."""
    best = (float("inf"), 0.0)
    for _ in range(3):
        began, own = time.perf_counter(), time.process_time()
        do()
        best = min(best, (time.perf_counter() - began, time.process_time() - own))
        time.sleep(1.1)
    return f"{1000 * best[0]:.0f} | {1000 * best[1]:.0f}"


def main() -> None:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(folder) / "cache")
        logs = pathlib.Path(folder) / "logs"
        put_runs(logs)
        tab, began, own = Tab(str(logs)), time.perf_counter(), time.process_time()
        while tab.get("fleet").json["reading"]:
            time.sleep(0.5)
        rows = [
            f"first scan, until all is read | {1000 * (time.perf_counter() - began):.0f}"
            f" | {1000 * (time.process_time() - own):.0f}"
        ]
        rows.append(f"a page again | {measured(lambda: tab.get('fleet'))}")
        rows.append(f"a search | {measured(lambda: tab.get('fleet', search='part3.py'))}")
        rows.append(f"sorted by change | {measured(lambda: tab.get('fleet', sort='change'))}")
        rows.append(f"all as CSV | {measured(lambda: tab.get('fleet.csv'))}")
        tab.plugin.close()

        def anew() -> None:
            other = Tab(str(logs))
            other.get("fleet")
            other.plugin.close()

        rows.append(f"the first page of a new server | {measured(anew)}")
        command = [sys.executable, "-m", "tbprof", "fleet", str(logs), "--top", "10"]
        row = measured(lambda: subprocess.run(command, check=True, capture_output=True)).partition(" ")[0]
        rows.append(f"`tbprof fleet`, its whole process | {row} | -")
    print(f"load {load:.1f} at the start\n\n| {RUNS:,} runs, 10,000 windows | ms | ms of CPU in the server |")
    print("|---|---|---|")
    print("\n".join(f"| {row} |" for row in rows))


if __name__ == "__main__":
    main()
