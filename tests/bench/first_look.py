"""How long it takes from a clone to the first finding on screen, without torch.

`python tests/bench/first_look.py` clones this checkout, makes a virtual environment, installs with
pip, starts `tbprof demo --sample` and waits for the first finding in Chromium. It needs playwright
and a Chromium (named in TBPROF_CHROMIUM, or on the path).
"""

from __future__ import annotations

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date

from playwright.sync_api import sync_playwright

CHECKOUT = pathlib.Path(__file__).parents[2]
PATIENCE_MS = 120_000


def first_look(folder: pathlib.Path) -> dict[str, float]:
    """Seconds since the start, by what had been reached."""
    started, reached = time.monotonic(), {}

    def reach(what: str) -> None:
        reached[what] = time.monotonic() - started

    clone, environment = folder / "clone", folder / "venv"
    subprocess.run(["git", "clone", "-q", str(CHECKOUT), str(clone)], check=True)
    reach("cloned")
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    subprocess.run([str(environment / "bin" / "pip"), "install", "-q", str(clone)], check=True)
    reach("installed")
    command = [str(environment / "bin" / "tbprof"), "demo", "--sample"]
    demo = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert demo.stdout is not None
        found = (re.search(r"http://\S+", line) for line in demo.stdout)
        address = next(match[0] for match in found if match)
        reach("TensorBoard answers")
        _wait_for_a_finding(address)
        reach("first finding on screen")
    finally:
        demo.send_signal(2)
        demo.wait(20)
    return reached


def _wait_for_a_finding(address: str) -> None:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(address)
        frame = page.frame_locator('iframe[src*="name=tbprof"]')
        frame.locator("text=/(SYN|CPY)[0-9]{2}/").first.wait_for(timeout=PATIENCE_MS)
        browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        reached = first_look(pathlib.Path(folder))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{date.today()}, {machine}\n")
    print("| reached | after, s |\n|---|---|")
    for what, seconds in reached.items():
        print(f"| {what} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
