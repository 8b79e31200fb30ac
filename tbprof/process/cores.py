"""How many cores there are to share work among."""

from __future__ import annotations

import os


def cores() -> int:
    """Those of the machine that this process may use, where that is known."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
