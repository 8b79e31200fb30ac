"""A trace too large to be there at once, opened in the tab."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from listing_watch import watched_listings
from playwright.sync_api import Browser, expect

RUN = "large"
_TILE = Path(__file__).parents[1] / "bench" / "tile_trace.py"
_LOOK_EVERY_MS = 50
_SHOWN_PROGRESS = "document.querySelector('#reading') && document.querySelector('progress')?.value"


@dataclass(frozen=True)
class Opening:
    """How the tab came to show a trace."""

    waited_s: float
    """Until it was shown."""
    progress_bytes: list[int]
    """What the tab said it had read, each figure once, in order."""
    said: str
    """The first line of progress."""
    listings_s: list[float]
    """What each listing took that was answered meanwhile."""


def logdir_with(source: Path, copies: int, folder: Path) -> tuple[Path, Path]:
    """A log directory with one run, the trace at `source` repeated in time; and its file."""
    # No name that the standard plugin knows: it would read the trace as well, at the same time.
    trace = folder / "logs" / RUN / "worker.json"
    trace.parent.mkdir(parents=True)
    subprocess.run([sys.executable, str(_TILE), str(source), str(copies), str(trace)], check=True)
    return folder / "logs", trace


def open_large(browser: Browser, address: str, patience_s: float) -> Opening:
    """Open the only run, and look at the tab until it shows the trace."""
    page = browser.new_page()
    with watched_listings(address) as listings_s:
        started_s = time.monotonic()
        page.goto(f"{address}/#tbprof&p.tbprof.run={RUN}&p.tbprof.view=syncs")
        frame = page.frame_locator('iframe[src*="name=tbprof"]')
        expect(frame.locator("#reading")).to_be_visible(timeout=patience_s * 1000)
        said = frame.locator("section[aria-labelledby=reading] [role=status]").inner_text()
        own = next(frame for frame in page.frames if "name=tbprof" in frame.url)
        seen: list[int] = []
        while (value := own.evaluate(_SHOWN_PROGRESS)) is not None:
            seen += [value] if [value] != seen[-1:] else []
            page.wait_for_timeout(_LOOK_EVERY_MS)
        waited_s = time.monotonic() - started_s
        meanwhile_s = list(listings_s)
        expect(frame.locator("tr[data-site]").first).to_be_visible(timeout=patience_s * 1000)
    page.close()
    return Opening(waited_s, seen, said, meanwhile_s)
