"""Runs a script or a module as Python's own command line would."""

from __future__ import annotations

import os
import runpy
import sys
import types
from collections.abc import Sequence
from pathlib import Path

__all__ = ["program_frames", "run_program"]


def run_program(program: str, arguments: Sequence[str], *, is_module: bool) -> None:
    """Run it in this process as `__main__`; what it raises passes."""
    sys.argv = [program, *arguments]
    if is_module:
        sys.path[0] = str(Path.cwd())
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    sys.path[0] = str(Path(program).resolve().parent)
    main_module = types.ModuleType("__main__")
    main_module.__file__ = os.path.abspath(program)  # noqa: PTH100 - as Python spells it
    sys.modules["__main__"] = main_module
    source = Path(program).read_bytes()
    exec(compile(source, main_module.__file__, "exec", dont_inherit=True), vars(main_module))


def program_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """What is left of a traceback without the frames that led to the program.

    The whole of it where no program had been started.
    """
    entry = traceback
    while entry is not None:
        if entry.tb_frame.f_code is run_program.__code__:
            return entry.tb_next
        entry = entry.tb_next
    return traceback
