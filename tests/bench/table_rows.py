"""How fast a table of 100,000 distinct rows is there in the tab, and whether scrolling drops a frame.

    python tests/bench/table_rows.py [ROWS] > tests/bench/table_rows.md

A made-up trace has as many operators with inputs of their own. Real TensorBoard reads it; a real Chromium,
which TBPROF_CHROMIUM may name, groups by shapes, sorts, filters and scrolls.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
from tensorboard_server import tensorboard

ROWS = 100_000
TIMES = 5
FRAMES = 120
PATIENCE_MS = 60_000
RUN = "rows"

HEAD = """# 100,000 rows in the tab

What `python tests/bench/table_rows.py` printed: a made-up trace of {rows:,} operators, each with inputs of
its own, grouped by shapes. A time begins when the answer's last byte is there, or with the key or click, and
ends when the browser has painted the rows; the median of {times}, and the longest. The last column is what
the page's own thread computed for it, the request included: the time on a machine that has nothing else to
do; of a frame, the mean of {frames}. A frame has 16.7 ms.

{day}, {machine}, load {load:.1f} at the start.

| what | ms | longest, ms | CPU ms |
|---|---|---|---|"""

NAMES = [
    f"aten::{kind}_{at}" for kind in ("add", "mul", "mm", "conv", "norm", "cat", "sum") for at in range(30)
]
KERNEL = "void at::native::vectorized_elementwise_kernel<{}, at::native::CUDAFunctor_add<float> >(int)"

OBSERVED = """() => {
  window.painted = (wait) => new Promise((done) => {
    const look = () => {
      if (!wait()) { requestAnimationFrame(look); return; }
      // The frame after the one that holds the change: then it has been painted.
      requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0));
    };
    look();
  });
}"""
"""A promise of when something is on the screen."""

LOADED = """async (label) => {
  performance.clearResourceTimings();
  const presses = () => [...document.querySelectorAll('[aria-label="Group by"] button')];
  const press = () => presses().find((one) => one.textContent === label);
  press().click();
  const rows = () => document.querySelectorAll(".data-table tr[data-row]");
  const isThere = () => press()?.ariaPressed === "true" && rows().length > 0;
  const at = await window.painted(isThere);
  const asked = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/table?"));
  return at - asked.at(-1).responseEnd;
}"""

SORTED = """async ([head, way]) => {
  const cells = () => [...document.querySelectorAll(".data-table th")];
  const cell = () => cells().find((one) => one.textContent.startsWith(head));
  const begun = performance.now();
  cell().querySelector("button").click();
  return (await window.painted(() => cell().ariaSort === way)) - begun;
}"""

FILTERED = """async (text) => {
  const field = document.querySelector("#filter");
  const said = () => document.querySelector(".tool [role=status]").textContent;
  const before = said();
  const begun = performance.now();
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  return (await window.painted(() => said() !== before)) - begun;
}"""

SCROLLED = """async ([frames, by]) => {
  const pane = document.querySelector(".tables");
  const times = [];
  let last = await new Promise(requestAnimationFrame);
  for (let at = 0; at < frames; at += 1) {
    pane.scrollTop += by;
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def write_trace(path: Path, rows: int) -> None:
    """Each operator launches one kernel."""
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "traceEvents": [')
        for at in range(rows):
            events = ",".join(json.dumps(event) for event in _events(at))
            file.write(f"{',' if at else ''}{events}")
        file.write("]}")


def _events(at: int) -> Iterator[dict[str, Any]]:
    start, ids = 10 * at + 1, {"External id": at + 1}
    shapes = [[at // 200 + 1, 64, at % 7 + 1], [at % 13 + 1, at % 200 + 1]]
    host = {"ph": "X", "pid": 1, "tid": 1}
    yield {**host, "cat": "cpu_op", "name": NAMES[at % len(NAMES)], "ts": start, "dur": 8.5} | {
        "args": {**ids, "Input Dims": shapes, "Input type": ["float", "float"]}
    }
    launch = {**ids, "correlation": at + 1}
    yield {**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": start + 1, "dur": 3.25} | {
        "args": launch
    }
    took = 1 + (at * 7919 % 4000) / 1000
    yield {"ph": "X", "cat": "kernel", "name": KERNEL.format(at % 60), "pid": 0, "tid": 7} | {
        "ts": start + 5,
        "dur": took,
        "args": {**launch, "device": 0, "stream": 7, "grid": [at % 100 + 1, 1, 1], "block": [128, 1, 1]},
    }


class _Tab:
    """The page, and what its main thread computed: on a busy machine that says more than the clock."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def timed(self, script: str, argument: object) -> tuple[Any, float]:
        """What a script gives back, and the ms of CPU time until then."""
        before = self._thread_ms()
        given = self._page.evaluate(script, argument)
        return given, self._thread_ms() - before

    def _thread_ms(self) -> float:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(1000 * one["value"] for one in metrics if one["name"] == "ThreadTime")


Row = tuple[str, list[float], list[float]]
"""What, and of each time how long it took and how much of that was computing, in ms."""


def measured(page: Page, address: str) -> Iterator[Row]:
    page.goto(
        f"{address}/data/plugin_entry.html?name=tbprof#tbprof&p.tbprof.run={RUN}&p.tbprof.view=operators"
    )
    expect(page.locator(".data-table tr[data-row]").first).to_be_visible(timeout=PATIENCE_MS)
    page.evaluate(OBSERVED)
    page.get_by_role("group", name="Group by").get_by_role("button", name="Shapes").click()
    counted = page.get_by_role("status").filter(has_text="rows")
    expect(counted).to_contain_text(f"{ROWS:,}", timeout=PATIENCE_MS)
    tab = _Tab(page)
    loaded = []
    for _ in range(TIMES):
        page.evaluate(LOADED, "Name")
        page.wait_for_timeout(200)
        loaded.append(tab.timed(LOADED, "Shapes"))
        page.wait_for_timeout(500)
    yield _row("rows on the screen after the answer", loaded)
    ways = (*(("Calls", way) for way in ("descending", "ascending")), ("Name", "ascending"))
    yield _row("sorted by calls, by name", [tab.timed(SORTED, way) for way in ways])
    words = ("norm", "norm_1", "norm_12", "conv", "")
    yield _row("filtered", [tab.timed(FILTERED, text) for text in words])
    page.wait_for_timeout(500)
    for by in (58, 1160, 116_000):
        frames, computed_ms = tab.timed(SCROLLED, [FRAMES, by])
        yield f"a frame that scrolls by {by:,} px", frames, [computed_ms / FRAMES]


def _row(what: str, timed: list[tuple[float, float]]) -> Row:
    took, computed = zip(*timed, strict=True)
    return what, [*took], [*computed]


def main(rows: int) -> None:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium") or "chromium"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    load = os.getloadavg()[0]
    print(HEAD.format(rows=rows, times=TIMES, frames=FRAMES, day=date.today(), machine=machine, load=load))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder, "cache"))
        write_trace(Path(folder, "logs", RUN, "worker.json"), rows)
        with tensorboard(Path(folder, "logs")) as address, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1600, "height": 1000})
            for what, times, computed in measured(page, address):
                middle, cpu = statistics.median(times), statistics.median(computed)
                print(f"| {what} | {middle:.0f} | {max(times):.0f} | {cpu:.0f} |", flush=True)
            browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
