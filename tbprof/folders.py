"""Where tbprof is installed, and where it keeps what can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["FORGOTTEN_SECONDS", "PACKAGE", "cache_folder", "private_cache_folder"]

PACKAGE = Path(__file__).parent
"""The folder of this package."""

FORGOTTEN_SECONDS = 24 * 3600
"""Age from which what a process left is taken for abandoned, where nothing says whether it still runs."""

_OTHERS_MAY_WRITE = 0o022


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


def private_cache_folder(name: str) -> Path | None:
    """A folder of the cache, made if it is not there; None if it can't be made or trusted.

    One that is not the user's own, or that others may write to, is not used: what lies in it
    would be believed.
    """
    folder = cache_folder() / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return None
    is_mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    is_private = os.name == "nt" or not status.st_mode & _OTHERS_MAY_WRITE
    return folder if is_mine and is_private else None
