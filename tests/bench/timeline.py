"""How long the timeline of a million events takes: a tile on the server, a frame in the browser.

`python tests/bench/timeline.py TRACE COUNT` repeats a trace in time, so that it has a million events,
keeps its columns in a cache of its own and cuts tiles of every level. Then it opens the tab in Chromium
(named in TBPROF_CHROMIUM, or on the path) on a made-up trace whose lines are so dense that a screen
holds more than 20,000 marks, and draws sixty frames. Each figure stands beside a floor that was
measured in the same run: one pass over the starts, and as many plain rectangles.
"""

from __future__ import annotations

import gzip
import os
import pathlib
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect, sync_playwright
from tile_trace import tile_trace

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
sys.path.append(str(pathlib.Path(__file__).parents[1] / "e2e"))
from tensorboard_server import tensorboard

from tbprof.report import open_timeline
from tbprof.views.timeline_selection import tile_bytes

FRAMES = 60
PATIENCE_MS = 300_000
TIMED_FRAMES = """(() => {
  const native = window.requestAnimationFrame.bind(window);
  const place = CanvasRenderingContext2D.prototype.setTransform;
  let drew = null;
  CanvasRenderingContext2D.prototype.setTransform = function (...matrix) {
    if (this.canvas.className === "lanes") drew = this;
    return place.apply(this, matrix);
  };
  window.framesOfLanes = [];
  window.requestAnimationFrame = (draw) => native((at) => {
    drew = null;
    const begun = performance.now();
    draw(at);
    if (drew === null) return;
    // Reading a pixel makes the browser draw now what it would draw later.
    drew.getImageData(0, 0, 1, 1);
    window.framesOfLanes.push([performance.now() - begun, Number(drew.canvas.dataset.drawn)]);
  });
})()"""
DRAWN_FRAMES = """async (count) => {
  const tracks = document.querySelector(".tracks");
  const press = (key) => tracks.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  window.framesOfLanes.length = 0;
  for (let frame = 0; frame < count; frame += 1) {
    const before = window.framesOfLanes.length;
    press(frame % 2 ? "a" : "d");
    while (window.framesOfLanes.length === before) await new Promise((done) => setTimeout(done, 5));
  }
  return window.framesOfLanes;
}"""
PLAIN_RECTANGLES = """(count) => {
  const canvas = document.createElement("canvas");
  const shown = document.querySelector("canvas.lanes");
  [canvas.width, canvas.height] = [shown.width, shown.height];
  const context = canvas.getContext("2d", { alpha: false });
  const times = [];
  for (let frame = 0; frame < 60; frame += 1) {
    const begun = performance.now();
    context.fillStyle = frame % 2 ? "#4b6785" : "#b4c2d0";
    for (let at = 0; at < count; at += 1) {
      context.fillRect(at % canvas.width, (at * 7) % canvas.height, 1.5, 12);
    }
    context.getImageData(0, 0, 1, 1);
    times.push(performance.now() - begun);
  }
  return times;
}"""

Row = tuple[str, float, float]
"""What, how long, and its floor; both in ms."""


def timed(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def tiles(path: pathlib.Path) -> list[Row]:
    """Opening from the cache, and and the median and the slowest tile over all levels."""
    open_timeline(path)
    loading = timed(lambda: open_timeline(path))
    timeline = open_timeline(path)
    first = timed(timeline.lay_out)
    every = range(len(timeline.lanes))
    rows: list[Row] = [("laying out the lanes, once", first, loading)]
    starts = timeline.facts.trace.slices.start_ns
    places = [
        (level, number)
        for level in range(timeline.highest_level + 1)
        for last in [timeline.span_ns >> (level + 10)]
        for number in {0, last // 3, last // 2, last}
    ]
    times = [timed(partial(tile_bytes, timeline, level, number, every)) for level, number in places]
    one_pass = statistics.median(timed(lambda: np.bincount((starts - starts.min()) >> 30)) for _ in range(9))
    rows.append((f"a tile, median of {len(times)}", statistics.median(times), one_pass))
    rows.append(("a tile, slowest: the whole window", max(times), one_pass))
    return [(f"{what} ({len(starts):,} events)", took, floor) for what, took, floor in rows]


def dense_trace(path: pathlib.Path) -> None:
    """A million ops on sixteen threads, each around another, without a pause."""
    with gzip.open(path, "wt", 1) as file:
        file.write('{"schemaVersion": 1, "traceEvents": [')
        for thread in range(16):
            for at in range(31_250):
                head = f'{{"ph": "X", "cat": "cpu_op", "pid": 1, "tid": {thread + 1}, "name": "aten::'
                outer = f'{head}linear", "ts": {at * 100 + thread * 7}, "dur": 60}}'
                inner = f'{head}addmm", "ts": {at * 100 + thread * 7 + 10}, "dur": 30}}'
                file.write(f"{',' if at or thread else ''}{outer},{inner}")
        file.write("]}")


def frames(page: Page, address: str) -> Row:
    """Sixty frames of all that a screen holds, each panned a little."""
    page.add_init_script(TIMED_FRAMES)
    page.goto(f"{address}/#tbprof&p.tbprof.view=timeline")
    frame = page.frame_locator('iframe[src*="name=tbprof"]')
    expect(frame.locator("canvas.lanes[data-drawn]")).to_be_visible(timeout=PATIENCE_MS)
    frame.get_by_role("button", name="Ops").click()
    tracks = frame.get_by_role("region", name="Tracks")
    tracks.press("s")
    page.wait_for_timeout(3000)
    inside = next(one for one in page.frames if "name=tbprof" in one.url)
    inside.evaluate(DRAWN_FRAMES, 10)
    page.wait_for_timeout(3000)
    drawn = inside.evaluate(DRAWN_FRAMES, FRAMES)
    marks = int(statistics.median(count for _, count in drawn))
    floor = statistics.median(inside.evaluate(PLAIN_RECTANGLES, marks))
    return f"a frame of {marks:,} marks, median of {FRAMES}", statistics.median(ms for ms, _ in drawn), floor


def in_browser(folder: pathlib.Path) -> Row:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium")
    with tensorboard(folder) as address, sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        row = frames(browser.new_page(viewport={"width": 1600, "height": 1000}), address)
        browser.close()
    return row


def main() -> None:
    source, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(temporary, "cache"))
        run = pathlib.Path(temporary, "logs", "run")
        run.mkdir(parents=True)
        path = run / "w.1752215573993169006.pt.trace.json.gz"
        tile_trace(source, count, path)
        rows = tiles(path)
        dense_trace(path)
        rows.append(in_browser(run.parent))
    print(
        f"{date.today()}, {os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}\n"
    )
    print("| what | ms | floor, ms | ratio |\n|---|---|---|---|")
    for what, took, floor in rows:
        print(f"| {what} | {took:.1f} | {floor:.1f} | {took / floor:.1f} |")


if __name__ == "__main__":
    main()
