"""How long TensorBoard's own routes take while something else goes on."""

from __future__ import annotations

import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

LISTINGS = ("/data/plugins_listing", "/data/runs", "/data/plugin/scalars/tags")
"""What every other tab asks for before it shows anything."""
_PAUSE_S = 0.1
_TIMEOUT_S = 120.0


@contextmanager
def watched_listings(address: str) -> Iterator[list[float]]:
    """Ask for the listings over and over; yields the seconds that each answer took, as they come."""
    took_s: list[float] = []
    faults: list[OSError] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            for route in LISTINGS:
                started_s = time.monotonic()
                try:
                    urllib.request.urlopen(address + route, timeout=_TIMEOUT_S).read()
                except OSError as error:
                    faults.append(error)
                    return
                took_s.append(time.monotonic() - started_s)
            over.wait(_PAUSE_S)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield took_s
    finally:
        over.set()
        asking.join()
    if faults:
        raise faults[0]
