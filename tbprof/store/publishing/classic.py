"""The copies that torch-tb-profiler reads, in the folder `classic` of a run.

They can be made again at any time, so they are made last and go first.
"""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path
from typing import Literal, TypeAlias

from tbprof.errors import NotATrace, TraceError
from tbprof.file_names import CLASSIC_SUFFIX
from tbprof.store.files import appearing
from tbprof.trace_files import is_classic_copy, is_of_torch
from tbprof.trace_writing import write_classic
from tbprof.window_names import parse_window_name

CLASSIC_FOLDER = "classic"

ClassicChoice: TypeAlias = Literal["auto", "always", "never"]


def is_classic_wanted(choice: ClassicChoice) -> bool:
    """Whether to write copies; "auto": where torch-tb-profiler is installed."""
    if choice == "auto":
        return importlib.util.find_spec("torch_tb_profiler") is not None
    return choice == "always"


def copy_classic(trace: Path, folder: Path) -> Path:
    """Write the copy of a trace into `folder`, which is made if it is not there; its path.

    Raises:
        TraceError: the trace gives nothing, or is of another profiler than torch's.
        OSError: the folder can't be written to.
    """
    if not is_of_torch(trace):
        raise NotATrace(f"{trace} is not of torch.profiler: the standard tab reads no other format")
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{parse_window_name(trace.name).stem}{CLASSIC_SUFFIX}"
    try:
        with appearing(path) as file:
            write_classic(trace, file)
    except (OSError, TraceError):
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    return path


def remove_classic_copies(run_folder: Path) -> bool:
    """Remove the copies of a run; whether there was one."""
    named = (run_folder / CLASSIC_FOLDER).glob(f"*{CLASSIC_SUFFIX}")
    copies = [path for path in named if is_classic_copy(path)]
    for path in copies:
        path.unlink(missing_ok=True)
    return bool(copies)
