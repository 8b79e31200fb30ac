"""Lines of a recording's programs: those that ran, and those that their authors marked as waiting."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

Line: TypeAlias = tuple[str, int]
"""A file below `source/`, with forward slashes, and the number of its line."""

Marks: TypeAlias = Mapping[Line, str]
"""Why a line is expected to wait."""

STEPS = 3
"""As many as the witnesses listened to."""

_CONDITIONS = ("where ", "under ", "?")


_RECORDED_ON_A_GPU = Path(__file__).parents[1] / "data" / "gpu"


def unpack_programs(folder: Path, *archives: str) -> Path:
    """The programs that were recorded on a GPU, with what these archives hold of them."""
    for archive in ("programs", *archives):
        with zipfile.ZipFile(_RECORDED_ON_A_GPU / f"{archive}.zip") as zipped:
            zipped.extractall(folder)
    return folder / "programs"


def read_marks(recording: Path) -> Marks:
    """The lines that end in a comment `# sync: why`."""
    annotations = json.loads((recording / "programs.json").read_text(encoding="utf-8"))["annotations"]
    return {(file, int(line)): why for file, lines in annotations.items() for line, why in lines.items()}


def is_conditional(why: str) -> bool:
    """Whether a mark says that the line waits in some programs only, or that nobody knows."""
    return why.startswith(_CONDITIONS)


@contextmanager
def lines_run(source: Path) -> Iterator[set[Line]]:
    """The lines below a folder that this thread runs meanwhile."""
    ran: set[Line] = set()
    prefix = f"{source}{os.sep}"

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(prefix):
            return None
        if event == "line":
            ran.add((file.removeprefix(prefix).replace(os.sep, "/"), frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield ran
    finally:
        sys.settrace(before)
