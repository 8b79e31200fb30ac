"""Calls a function as if the program's own line called it, and not what stands between them.

Python files a warning under the module and the line that are running: the program's filters for its
own modules, and what it was given once, go by that.

Whose a file of Python code is, and what traces call it.

Names are compared, not files: as Python spells them, so does the profiler.
"""

from __future__ import annotations

import ast
import os
import re
import site
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeAlias

import torch

RELAY = "<tbprof relay>"
"""The name of the function whose frame stands in for the caller's."""

Relay: TypeAlias = Callable[[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]], Any]

_MOST_RELAYS = 4096
_RELAYS: dict[tuple[int, int], tuple[CodeType, FunctionType]] = {}
"""The key is a code object's id and an instruction; hashing the code would hash all its constants."""


def _without_columns(tree: ast.Module) -> ast.Module:
    """A traceback underlines nothing in the program's line: the columns here are not its own."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg)):
            node.col_offset = node.end_col_offset = -1
    return tree


_SOURCE = "relay = lambda function, args, options: function(*args, **options)"
_TEMPLATE = next(
    part
    for part in compile(_without_columns(ast.parse(_SOURCE)), RELAY, "exec").co_consts
    if isinstance(part, CodeType)
)


def called_from(frame: FrameType) -> Relay:
    """What calls a function with its arguments and options so that `frame` seems to call it.

    0.3 us where the same place asked before.
    """
    code = frame.f_code
    place = (id(code), frame.f_lasti)
    known = _RELAYS.get(place)
    if known is not None and known[1].__globals__ is frame.f_globals:
        return known[1]
    relay = _made_for(frame)
    if len(_RELAYS) >= _MOST_RELAYS:
        forget_callers()
    _RELAYS[place] = code, relay
    return relay


def forget_callers() -> None:
    """Keep no module of the program alive any longer."""
    _RELAYS.clear()


def _made_for(frame: FrameType) -> FunctionType:
    code = _TEMPLATE.replace(
        co_filename=frame.f_code.co_filename,
        co_name=RELAY,
        # Of what has no line, the function's first.
        co_firstlineno=frame.f_lineno or frame.f_code.co_firstlineno,
    )
    return FunctionType(code, frame.f_globals, RELAY)


TORCH = os.path.dirname(torch.__file__) + os.sep  # noqa: PTH120
STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120
"""Installed packages may lie beneath it."""


def import_path() -> list[str]:
    """Where Python imports from; what a program has put there besides texts, Python passes over as well."""
    return [folder for folder in sys.path if type(folder) is str]


_FOLDERS = (
    *(sysconfig.get_path(name) for name in ("purelib", "platlib")),
    *site.getsitepackages(),
    site.getusersitepackages(),
    # Of an environment that lies over another one, too.
    *(folder for folder in import_path() if folder.endswith(("site-packages", "dist-packages"))),
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
    folders = (*site.getsitepackages(), *import_path(), *users, os.path.dirname(TORCH[:-1]))  # noqa: PTH120
    return tuple(os.path.abspath(folder) + os.sep for folder in folders)  # noqa: PTH100


def name_below(folders: Iterable[str], file: str) -> str:
    """The file's path below the import path, as torch's profiler writes it: `train.py`, `models/net.py`.

    It is the same on every machine, and tells nothing of the user's folders. Files elsewhere
    keep their path. The rule is that of `torch.profiler.python_tracer`: of all folders that
    Python imports from, the last by name that holds the file is cut off.
    """
    holding = [folder for folder in folders if file.startswith(folder)]
    return file.removeprefix(max(holding)) if holding else file
