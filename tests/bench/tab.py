"""What the tab costs a browser: its size, the way to the first table, and long lists in the pickers.

`python tests/bench/tab.py` makes a log directory of small stored reports, starts TensorBoard on it
and drives a Chromium (named in TBPROF_CHROMIUM, or on the path). Task time is what the page's main
thread was busy for, as the browser counts it; beside it stands that of an empty page of TensorBoard's.
"""

from __future__ import annotations

import gzip
import os
import pathlib
import shutil
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import date
from statistics import median

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

TESTS = pathlib.Path(__file__).parents[1]
sys.path += [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS / "e2e")]

from source_scene import known_training  # noqa: E402
from tensorboard_server import tensorboard  # noqa: E402

import tbprof  # noqa: E402
from tbprof.report import build_report  # noqa: E402
from tbprof.store.codec import encode_report  # noqa: E402

RUNS, RANKS, WINDOWS = 1_000, 512, 200
REPEATS = 5
FIRST_NS = 1_752_215_573_000_000_000
SAMPLE = TESTS.parent / "logs" / "samples" / "sam_amg_a100" / "amg_HEAD.json.gz"
PLUGIN = "data/plugin/tbprof"
ENTRY = "data/plugin_entry.html?name=tbprof"
Row = tuple[str, str, str]


def make_logs(logs: pathlib.Path) -> None:
    """Many runs of one window, one of many ranks, one of many windows, and a recorded one."""
    small = encode_report(known_training(), written_by=tbprof.__version__)
    for number in range(RUNS):
        write(logs / f"sweep/lr{number:04}", f"host_1.{FIRST_NS + number}", small)
    for rank in range(RANKS):
        write(logs / "many_ranks", f"host_{rank}_rank{rank}.{FIRST_NS}", small)
    for window in range(WINDOWS):
        write(logs / "many_windows", f"host_1.{FIRST_NS + window}", small)
    write(logs / "recorded", f"host_1.{FIRST_NS}", encode_report(build_report(SAMPLE), written_by=""))


def write(run: pathlib.Path, name: str, content: bytes) -> None:
    run.mkdir(parents=True, exist_ok=True)
    (run / f"{name}.tbprof.pb").write_bytes(content)


def sizes(browser: Browser, address: str) -> Iterator[Row]:
    """Of the scripts as a server compresses them."""
    static = pathlib.Path(tbprof.__file__).parent / "static"
    served = [static / "index.js", *(static / "assets").iterdir()]
    packed = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in served}
    yield "all scripts, gz", "160 kB", f"{sum(packed.values()) / 1000:.1f} kB"
    asked: list[str] = []
    page = browser.new_page()
    page.on("response", lambda response: asked.append(urllib.parse.urlsplit(response.url).path))
    page.goto(f"{address}/{ENTRY}#tbprof&p.tbprof.run=recorded")
    page.locator("table").first.wait_for()
    page.close()
    first = sum(packed[path.rpartition("/")[2]] for path in asked if path.endswith(".js") and PLUGIN in path)
    yield "scripts of the first view, gz", "60 kB", f"{first / 1000:.1f} kB"


def first_table(browser: Browser, address: str) -> Iterator[Row]:
    empty = f"{address}/data/plugin_entry.html"
    empty_ms = median(_opening_ms(browser, empty, "html") for _ in range(REPEATS))
    yield "task time of an empty page", "", f"{empty_ms:.0f} ms"
    for view in ("overview", "syncs"):
        place = f"{address}/{ENTRY}#tbprof&p.tbprof.run=recorded&p.tbprof.view={view}"
        opening_ms = median(_opening_ms(browser, place, "table") for _ in range(REPEATS))
        yield f"task time to the first table, {view}", "300 ms", f"{opening_ms:.0f} ms"


def _opening_ms(browser: Browser, place: str, wanted: str) -> float:
    """Of a page that nothing has been cached for."""
    page = browser.new_context().new_page()
    metrics = metrics_of(page)
    page.goto(place, wait_until="commit")
    page.locator(wanted).first.wait_for(state="attached")
    taken = task_ms(metrics)
    page.context.close()
    return taken


def metrics_of(page: Page) -> CDPSession:
    session = page.context.new_cdp_session(page)
    # Of the thread alone: other processes on the machine are in no figure.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def task_ms(metrics: CDPSession) -> float:
    found = metrics.send("Performance.getMetrics")["metrics"]
    return 1000 * next(float(one["value"]) for one in found if one["name"] == "TaskDuration")


def listing(_: Browser, address: str) -> Iterator[Row]:
    started = time.monotonic()
    with urllib.request.urlopen(f"{address}/{PLUGIN}/runs") as answer:
        size = len(answer.read())
    took = time.monotonic() - started
    total = RUNS + RANKS + WINDOWS + 1
    yield f"the list of {total:,} windows, first answer", "", f"{took:.2f} s, {size / 1e6:.2f} MB"


def pickers(browser: Browser, address: str) -> Iterator[Row]:
    ranks, windows = ("many_ranks", "Rank", RANKS), ("many_windows", "Window", WINDOWS)
    for run, label, count in (("recorded", "Run", RUNS + 3), ranks, windows):
        page = browser.new_page()
        metrics = metrics_of(page)
        page.goto(f"{address}/{ENTRY}#tbprof&p.tbprof.run={run}")
        page.locator("table").first.wait_for()
        yield f"picker of {count:,}", "100 ms", _picking(page, metrics, label)
        page.close()


def _picking(page: Page, metrics: CDPSession, label: str) -> str:
    before = task_ms(metrics)
    page.locator(f'.pick[aria-label^="{label} "]').click()
    page.locator("[role=option]").first.wait_for()
    opened = task_ms(metrics)
    drawn = page.locator("[role=option]").count()
    page.keyboard.type("17")
    page.locator("[role=option]", has_text="17").first.wait_for()
    each = (task_ms(metrics) - opened) / 2
    return f"{opened - before:.0f} ms to open, {each:.0f} ms a key, {drawn} rows drawn"


def series(browser: Browser, address: str) -> Iterator[Row]:
    views = (("many_ranks", "ranks", f"{RANKS} ranks"), ("many_windows", "trends", "the newest 120 windows"))
    for run, view, many in views:
        for again in ("first", "again"):
            page = browser.new_page()
            metrics = metrics_of(page)
            started = time.monotonic()
            page.goto(f"{address}/{ENTRY}#tbprof&p.tbprof.run={run}&p.tbprof.view={view}")
            page.locator("table tbody tr").first.wait_for(timeout=120_000)
            took = time.monotonic() - started
            yield f"{many} side by side, {again}", "", f"{took:.1f} s, {task_ms(metrics):.0f} ms of task time"
            page.close()


MEASURES = (listing, sizes, first_table, pickers, series)


def main() -> None:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        logs = pathlib.Path(folder) / "logs"
        make_logs(logs)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with tensorboard(logs) as address:
            print(f"{date.today()}, {os.cpu_count()} cores x86-64, Chromium {browser.version}\n")
            print("| what | budget | measured |\n|---|---|---|")
            for measure in MEASURES:
                for row in measure(browser, address):
                    print("| " + " | ".join(row) + " |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
