"""Where the files of a report are in a checkout, for who shows findings beside its lines."""

from __future__ import annotations

import os
from pathlib import Path


def path_in_checkout(file: str, source_root: Path) -> str:
    """The file relative to the folder that the command runs in, with forward slashes.

    A report names files relative to where Python imported them from: `source_root` says where
    that is. What lies elsewhere keeps its whole path.
    """
    full = os.path.normpath(Path.cwd() / source_root / file)
    inside = os.path.relpath(full) if full.startswith(str(Path.cwd()) + os.sep) else full
    return inside.replace(os.sep, "/")
