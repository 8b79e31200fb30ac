"""Python programs that the program starts by `subprocess` run unwatched, and that is said.

One that takes the place of the program's own process can't be: nobody would be left to say anything.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from functools import wraps
from pathlib import PurePath
from subprocess import Popen
from typing import Any

from tbprof.errors import NotSupported
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching.recording import remark

_PYTHON = re.compile(r"python[\d.]*w?(?:\.exe)?", re.IGNORECASE)
_STARTED: list[tuple[str, Popen[Any]]] = []


def forget_unwatched() -> None:
    """A preflight begins or is over."""
    _STARTED.clear()


def failed_unwatched() -> str:
    """A sentence about the first of them that failed; "" where none did."""
    failed = ((command, process.poll()) for command, process in _STARTED)
    return next(
        (
            f"`{command}` ended with exit code {code}; preflight watches its own program "
            "and processes of multiprocessing: run it on that one (torchrun: --no-python tbprof preflight)"
            for command, code in failed
            if code
        ),
        "",
    )


def _noted(original: Any) -> Any:
    @wraps(original)
    def init(self: Popen[Any], args: Any, *rest: Any, **options: Any) -> None:
        original(self, args, *rest, **options)
        command = _python_command(args)
        if command:
            _STARTED.append((command, self))
            remark(f"`{command}` ran unwatched, without a GPU that it could have seen")

    return init


def _python_command(args: Any) -> str:
    """The program that a command runs by Python; "" where it runs something else."""
    given = shlex.split(args) if isinstance(args, str) else args if isinstance(args, Sequence) else ()
    words = [str(word) for word in given]
    if not words or _PYTHON.fullmatch(PurePath(words[0]).name) is None:
        return ""
    programs = [word for word in words[1:] if word.endswith(".py")]
    is_module = "-m" in words[1:-1]
    return programs[0] if programs else f"-m {words[words.index('-m') + 1]}" if is_module else ""


def _refused(original: Any) -> Any:
    process = os.getpid()

    @wraps(original)
    def execute(path: Any, args: Any, *rest: Any) -> Any:
        # A fork of the program may become another one.
        if os.getpid() == process:
            command = " ".join(os.fsdecode(word) for word in args)
            raise NotSupported(
                "the program puts another one in the place of its process, which would run unwatched: "
                f"`{command}`; run preflight on that one"
            )
        return original(path, args, *rest)

    return execute


PATCHES = (
    Patch("subprocess:Popen", "__init__", _noted),
    Patch("os", "execv", _refused),
    Patch("os", "execve", _refused),
)
