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
import time
from datetime import date
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))

from large_trace import logdir_with, open_large
from listing_watch import LISTINGS, watched_listings
from tensorboard_server import tensorboard

COPIES = (2, 6, 18)
QUIET_S = 10.0
PATIENCE_S = 1200.0

HEAD = """# A large trace in the tab

What `python tests/bench/large_trace_in_tab.py` printed: an H100 trace repeated in time, opened for the
first time. The listings are {listings}, asked for one after the other,
about 20 times a second; "quiet" before the trace is opened.

{day}, {machine}, load {load:.1f} at the start.

| trace, MB | shown after, s | steps of progress seen | listings quiet, ms: median | slowest \
| while it is read, ms: median | slowest |
|---|---|---|---|---|---|---|"""


def row(source: Path, copies: int, folder: Path, chromium: str) -> str:
    logdir, trace = logdir_with(source, copies, folder)
    with tensorboard(logdir) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with watched_listings(address) as quiet_s:
            time.sleep(QUIET_S)
        opening = open_large(browser, address, PATIENCE_S)
        browser.close()
    return (
        f"| {trace.stat().st_size / 1e6:,.0f} | {opening.waited_s:.1f} | {len(opening.progress_bytes)} "
        f"| {_figures(quiet_s)} | {_figures(opening.listings_s)} |"
    )


def _figures(took_s: list[float]) -> str:
    return f"{1000 * statistics.median(took_s):.0f} | {1000 * max(took_s):.0f}"


def main(traces: Path) -> None:
    source = traces / "h100_owlv2_infer" / "h100_owlv2.json.gz"
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium") or "chromium"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    listings = ", ".join(f"`{route}`" for route in LISTINGS)
    print(HEAD.format(listings=listings, day=date.today(), machine=machine, load=os.getloadavg()[0]))
    for copies in COPIES:
        with tempfile.TemporaryDirectory() as folder:
            print(row(source, copies, Path(folder), chromium), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
