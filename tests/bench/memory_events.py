"""A million events of the allocator in the tab: the first picture, a closer look, and what the readers take.

    python tests/bench/memory_events.py > tests/bench/memory_events.md

Needs Chromium, which TBPROF_CHROMIUM may name. The trace has half a million operators, each with a block that
a later one gives back. The tab is opened alone, without TensorBoard's own page around it. "Not read yet" is a
TensorBoard that has just started, and a link to the page of memory: the trace is read and judged first. "From
the report" is what most do: the overview is there, and the page of memory is chosen.
"""

from __future__ import annotations

import gzip
import os
import platform
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))

from tensorboard_server import tensorboard

EVENTS = 1_000_000
STARTS = 5
ZOOMS = 10
PATIENCE_MS = 120_000
NEXT_PICTURE = """(zoomed) => new Promise((done) => {
  const drawn = () => document.querySelector(".memory-drawing svg.axis")?.textContent;
  const slider = document.querySelector("[role=slider]");
  const [before, begun] = [drawn(), performance.now()];
  const look = () => {
    // Between two parts there may be none for a moment.
    if (drawn() === undefined || drawn() === before) requestAnimationFrame(look);
    else done(performance.now() - begun);
  };
  const event = new WheelEvent("wheel", { deltaY: -200, ctrlKey: true, bubbles: true, cancelable: true });
  Object.defineProperty(event, "offsetX", { value: slider.clientWidth * zoomed });
  slider.dispatchEvent(event);
  look();
})"""
"""From a turn of the wheel to the frame that draws the part that it asks for, in ms."""


def write_trace(path: Path, events: int) -> None:
    """Blocks of 0.5 to 1,000 kB, of which 200 are there at once."""
    chosen, there, held = random.Random(7), list[tuple[int, int]](), 0
    with gzip.open(path, "wt", 1) as file:
        file.write('{"schemaVersion": 1, "traceEvents": [')
        for at in range(events):
            gives = at < 200 or at % 2 == 0
            size, address = (
                (chosen.randrange(512, 1_000_000), (1 << 40) + at * 1_000_448)
                if gives
                else there.pop(chosen.randrange(len(there)))
            )
            if gives:
                there.append((size, address))
                file.write(
                    f'{{"ph": "X", "cat": "cpu_op", "name": "aten::op{at % 40}", "pid": 1, "tid": 1, '
                    f'"ts": {1000 + 10 * at}, "dur": 9}},'
                )
            change = size if gives else -size
            held += change
            totals = f'"Total Reserved": 250000000, "Total Allocated": {held}, "Bytes": {change}'
            file.write(
                f'{{"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, '
                f'"ts": {1004 + 10 * at}, "args": {{{totals}, "Addr": {address}, "Device Id": 0, '
                f'"Device Type": 1}}}}{"," if at < events - 1 else ""}'
            )
        file.write("]}")


def open_page(browser: Browser, address: str, view: str) -> tuple[Page, float]:
    """The page, and the seconds until it had something to show."""
    page = browser.new_page(viewport={"width": 1600, "height": 1000})
    begun = time.monotonic()
    page.goto(f"{address}/data/plugin_entry.html?name=tbprof#tbprof&p.tbprof.run=run&p.tbprof.view={view}")
    shown = "svg.memory-curve" if view == "memory" else "h1"
    expect(page.locator(shown).first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#reading")).to_have_count(0, timeout=PATIENCE_MS)
    return page, time.monotonic() - begun


def choose_memory(page: Page) -> float:
    begun = time.monotonic()
    page.get_by_role("link", name="Memory", exact=True).click()
    expect(page.locator("svg.memory-curve")).to_be_visible(timeout=PATIENCE_MS)
    return time.monotonic() - begun


def zooms(page: Page) -> list[float]:
    chosen = random.Random(11)
    return [page.evaluate(NEXT_PICTURE, chosen.uniform(0.2, 0.8)) for _ in range(ZOOMS)]


def peaks_mb(root: int) -> Iterator[float]:
    """Of the processes that this one has started, and those that they have."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            said = status.read_text(encoding="utf-8")
        except OSError:
            continue
        parent, peak = (re.search(rf"^{name}:\s+(\d+)", said, re.MULTILINE) for name in ("PPid", "VmHWM"))
        if parent is not None and peak is not None and int(parent[1]) == root:
            yield int(peak[1]) / 1000
            yield from peaks_mb(int(status.parent.name))


def look(browser: Browser, trace: Path, folder: Path, view: str) -> tuple[float, float, list[float], float]:
    """Seconds until `view` is there and from there to the curve; ms of zooms; MB of the largest reader."""
    run = folder / "logs" / "run"
    run.mkdir(parents=True)
    os.link(trace, run / trace.name)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    with tensorboard(folder / "logs") as address:
        page, opened_s = open_page(browser, address, view)
        chosen_s = 0.0 if view == "memory" else choose_memory(page)
        took_ms = zooms(page)
        page.close()
        # TensorBoard itself is the first; what it has started reads.
        (server,) = (
            int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if _is_ours(path, folder)
        )
        return opened_s, chosen_s, took_ms, max(peaks_mb(server))


def _is_ours(command: Path, folder: Path) -> bool:
    try:
        words = command.read_bytes().split(b"\0")
    except OSError:
        return False
    return b"tensorboard.main" in words and str(folder / "logs").encode() in words


def main() -> None:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium") or "chromium"
    print("# A million events of the allocator in the tab\n")
    print((__doc__ or "").partition("md\n\n")[2])
    machine = f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}"
    print(f"{date.today()}, {machine}, load {os.getloadavg()[0]:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        # No name that the standard plugin knows: it would read the trace as well, at the same time.
        trace = Path(folder) / "worker.json.gz"
        write_trace(trace, EVENTS)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        looks = [
            (view, *look(browser, trace, Path(folder) / f"{view}{at}", view))
            for at in range(STARTS)
            for view in ("memory", "overview")
        ]
        browser.close()
    zooms_ms = [ms for *_, took_ms, _ in looks for ms in took_ms]
    print("| what | median | most | wanted |\n|---|---|---|---|")
    for what, found, wanted in (
        ("first picture, from the report, s", [one[2] for one in looks if one[0] == "overview"], "2"),
        ("the report, not read yet, s", [one[1] for one in looks if one[0] == "overview"], ""),
        ("first picture, not read yet, s", [one[1] for one in looks if one[0] == "memory"], ""),
        ("a zoom, ms", zooms_ms, "100"),
        ("the largest reader, MB", [one[4] for one in looks], "1,000"),
    ):
        print(f"| {what} | {statistics.median(found):.3g} | {max(found):.3g} | {wanted} |")


if __name__ == "__main__":
    main()
