"""Where tbprof keeps what can be made again: the cache folder of the user."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """Tbprof's folder in the user's cache; not created here.

    `$XDG_CACHE_HOME` decides where it is set, else the custom of the platform.
    """
    chosen = os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen) / "tbprof"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "tbprof" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tbprof"
    return Path.home() / ".cache" / "tbprof"
