"""Pictures of every view of three real traces, to be looked at: `python tests/e2e/take_pictures.py`.

TBPROF_TRACES names the folder of public traces. They go to `pictures/`, in light; the first trace in
dark too. README shows two of a sample in TensorBoard's own page: `take_pictures.py readme` takes these alone.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import tempfile
import urllib.parse

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

from tab import open_in_tensorboard, open_tab
from tensorboard_server import tensorboard
from timeouts import PATIENCE_MS

PICTURES = pathlib.Path(__file__).parent / "pictures"
HEADLESS = "chromium-headless-shell"
SIZE = {"width": 1280, "height": 656}
"""Of the frame in a window of 1280 x 720."""

README_SIZE = {"width": 1280, "height": 800}

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"
SAMPLE = "resnet_pageable_h200"

TRACES = {"a100": "sam_amg_a100", "h100": "h100_bert_small_infer", "v100": "kineto_resnet50_nw0"}
"""Their names in the pictures' names, and their folders."""


def take(browser: Browser, address: str, run: str, name: str, theme: str) -> None:
    """One picture of each view that the run has."""
    page = browser.new_context(color_scheme=theme, viewport=SIZE).new_page()  # type: ignore[arg-type]
    place = urllib.parse.quote(run, safe="")
    page.goto(f"{address}/data/plugin_entry.html?name=tbprof#tbprof&p.tbprof.run={place}")
    page.locator(".head h1").wait_for(timeout=PATIENCE_MS)
    for at in range(page.locator("nav .tabs a").count()):
        link = page.locator("nav .tabs a").nth(at)
        view = (link.text_content() or "").rstrip("0123456789,").lower().replace(" ", "-")
        link.click()
        page.mouse.move(SIZE["width"] / 2, SIZE["height"] - 1)
        _settle(page)
        page.screenshot(path=PICTURES / f"{name}-{view}-{theme}.png")
    page.context.close()


def take_memory(browser: Browser, address: str, run: str, name: str, theme: str) -> None:
    """The page of memory, which the first trace has not."""
    page = browser.new_context(color_scheme=theme, viewport=SIZE).new_page()  # type: ignore[arg-type]
    open_tab(page, address, run, "memory").get_by_role("table", name="At the peak").wait_for()
    _settle(page)
    page.screenshot(path=PICTURES / f"{name}-memory-{theme}.png")
    page.context.close()


def take_in_tensorboard(browser: Browser, address: str, run: str, theme: str, view: str, site: str) -> None:
    page = browser.new_context(color_scheme=theme, viewport=README_SIZE).new_page()  # type: ignore[arg-type]
    open_in_tensorboard(page, address, run, view, site=site).locator("table").first.wait_for()
    page.wait_for_timeout(1_500)
    page.screenshot(path=PICTURES / f"tab-{theme}.png")
    page.context.close()


def _settle(page: Page) -> None:
    page.locator("main h1, main h2").first.wait_for(state="attached", timeout=PATIENCE_MS)
    page.locator("main .skel").first.wait_for(state="detached", timeout=PATIENCE_MS)
    page.get_by_text("being read").first.wait_for(state="detached", timeout=PATIENCE_MS)
    if page.locator("canvas.lanes").count():
        page.locator('canvas.lanes[data-drawn]:not([data-drawn="0"])').wait_for(timeout=PATIENCE_MS)
    # What is drawn comes a frame later than its page.
    page.wait_for_timeout(1_500)


def take_all(browser: Browser, address: str) -> None:
    for name, run in TRACES.items():
        take(browser, address, run, name, "light")
    name, run = next(iter(TRACES.items()))
    take(browser, address, run, name, "dark")
    take_memory(browser, address, TRACES["h100"], "h100", "dark")


def main(*, of_all: bool) -> None:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium") or shutil.which(HEADLESS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        logs = pathlib.Path(folder) / "logs"
        for run in TRACES.values() if of_all else ():
            shutil.copytree(pathlib.Path(os.environ["TBPROF_TRACES"]) / run, logs / run)
        shutil.copytree(SAMPLES / SAMPLE, logs / SAMPLE)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with tensorboard(logs) as address:
            if of_all:
                take_all(browser, address)
            take_in_tensorboard(browser, address, SAMPLE, "light", "overview", "")
            take_in_tensorboard(browser, address, SAMPLE, "dark", "syncs", "0")
        browser.close()


if __name__ == "__main__":
    main(of_all=sys.argv[1:] != ["readme"])
