"""Paths as a person in this folder would write them."""

from __future__ import annotations

import os
from pathlib import Path


def near_path(path: str) -> str:
    """A whole path relative to the folder that the command runs in, where it lies beneath it."""
    return os.path.relpath(path) if path.startswith(str(Path.cwd()) + os.sep) else path
