"""Whose a file of Python code is, and what traces call it.

Names are compared, not files: as Python spells them, so does the profiler.
"""

from __future__ import annotations

import os
import re
import site
import sys
import sysconfig
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import torch

TORCH = os.path.dirname(torch.__file__) + os.sep  # noqa: PTH120
STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120
"""Installed packages may lie beneath it."""

_FOLDERS = (
    *(sysconfig.get_path(name) for name in ("purelib", "platlib")),
    *site.getsitepackages(),
    site.getusersitepackages(),
    # Of an environment that lies over another one, too.
    *(folder for folder in sys.path if folder.endswith(("site-packages", "dist-packages"))),
)
_INSTALLED = tuple({folder.rstrip(os.sep) + os.sep for folder in _FOLDERS})
"""Where packages are installed, those of the standard library apart."""

_NOTEBOOK = re.compile(r"<(?:ipython-input|stdin)")


def is_notebook(file: str) -> bool:
    """Whether it is a cell of a notebook, or what was typed at a prompt."""
    return _NOTEBOOK.match(file) is not None


@lru_cache(maxsize=4096)
def library_of(file: str) -> str | None:
    """The installed library that a file belongs to; None for the user's own code."""
    for folder in _INSTALLED:
        if file.startswith(folder):
            return Path(file.removeprefix(folder)).parts[0].removesuffix(".py")
    return None


def current_import_folders() -> tuple[str, ...]:
    """The folders that Python imports from now; a program may add others."""
    users = (site.getuserbase(), site.getusersitepackages())
    folders = (*site.getsitepackages(), *sys.path, *users, os.path.dirname(TORCH[:-1]))  # noqa: PTH120
    return tuple(os.path.abspath(folder) + os.sep for folder in folders)  # noqa: PTH100


def name_below(folders: Iterable[str], file: str) -> str:
    """The file's path below the import path, as torch's profiler writes it: `train.py`, `models/net.py`.

    It is the same on every machine, and tells nothing of the user's folders. Files elsewhere
    keep their path. The rule is that of `torch.profiler.python_tracer`: of all folders that
    Python imports from, the last by name that holds the file is cut off.
    """
    holding = [folder for folder in folders if file.startswith(folder)]
    return file.removeprefix(max(holding)) if holding else file
