"""How a large trace opens in the tab, and what TensorBoard's listings take meanwhile.

    python tests/bench/large_trace_in_tab.py TRACES > tests/bench/large_trace_in_tab.md

TRACES is a folder of public traces. In real TensorBoard and a real Chromium, which
TBPROF_CHROMIUM may name.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))

from large_trace import logdir_with, open_large
from listing_watch import LISTINGS, watched_listings
from tensorboard_server import tensorboard

COPIES = (2, 6, 18)
PATIENCE_S = 1200.0

HEAD = """# A large trace in the tab

What `python tests/bench/large_trace_in_tab.py` printed: an H100 trace repeated in time, opened for the
first time. The listings are {listings},
asked for over and over from the first click until the trace is shown: of the TensorBoard that reads it,
and at the same time of another one that has nothing to do.

{day}, {machine}, load {load:.1f} at the start.

| trace, MB | shown after, s | steps of progress seen | TensorBoard | listings \
| median, ms | 99 of 100 within, ms | slowest, ms |
|---|---|---|---|---|---|---|---|"""


def rows(source: Path, copies: int, folder: Path, chromium: str) -> Iterator[str]:
    logdir, trace = logdir_with(source, copies, folder)
    (folder / "empty").mkdir()
    with tensorboard(logdir) as address, tensorboard(folder / "empty") as idle, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with watched_listings(idle) as idle_s:
            opening = open_large(browser, address, PATIENCE_S)
        browser.close()
    yield (
        f"| {trace.stat().st_size / 1e6:,.0f} | {opening.waited_s:.1f} | {len(opening.progress_bytes)} "
        f"| that reads it | {_figures(opening.listings_s)} |"
    )
    yield f"| | | | idle | {_figures(idle_s)} |"


def _figures(took_s: list[float]) -> str:
    sorted_ms = [1000 * took for took in sorted(took_s)]
    within = sorted_ms[int(0.99 * (len(sorted_ms) - 1))]
    return f"{len(sorted_ms)} | {statistics.median(sorted_ms):.0f} | {within:.0f} | {sorted_ms[-1]:.0f}"


def main(traces: Path) -> None:
    source = traces / "h100_owlv2_infer" / "h100_owlv2.json.gz"
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium") or "chromium"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    listings = ", ".join(f"`{route}`" for route in LISTINGS)
    print(HEAD.format(listings=listings, day=date.today(), machine=machine, load=os.getloadavg()[0]))
    for copies in COPIES:
        with tempfile.TemporaryDirectory() as folder:
            for row in rows(source, copies, Path(folder), chromium):
                print(row, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
