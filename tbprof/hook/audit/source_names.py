"""Names of source files as they stand in a trace."""

from __future__ import annotations

import os
import site
import sys
from functools import lru_cache

import torch

__all__ = ["import_folders", "trace_file_name"]


@lru_cache(maxsize=4096)
def trace_file_name(file: str) -> str:
    """The file's path below the import path, as torch's profiler writes it: `train.py`, `models/net.py`.

    It is the same on every machine, and tells nothing of the user's folders. Files elsewhere
    keep their path. The rule is that of `torch.profiler.python_tracer`: of all folders that
    Python imports from, the last by name that holds the file is cut off.
    """
    holding = [folder for folder in import_folders() if file.startswith(folder)]
    return file.removeprefix(max(holding)) if holding else file


@lru_cache(maxsize=1)
def import_folders() -> tuple[str, ...]:
    """The folders that Python imports from, as they are when this is first asked.

    torch takes them once in a process, when it first records Python's stacks; asked right before
    that, this agrees with it however the training changes `sys.path` later.
    """
    users = (site.getuserbase(), site.getusersitepackages())
    folders = (*site.getsitepackages(), *sys.path, *users, _torch_home())
    # Names are compared, not files: what Python spells is what the profiler sees.
    return tuple(os.path.abspath(folder) + os.sep for folder in folders)  # noqa: PTH100


def _torch_home() -> str:
    home: str = os.path.dirname(os.path.dirname(torch.__file__))  # noqa: PTH120
    return home
