"""What a stack says of a pause: a checkpoint, an evaluation, the loader, the compiler."""

from __future__ import annotations

import os
import re
import sys
from types import CodeType

from tbprof.hook.audit.call_log import is_own_file, is_users_file
from tbprof.hook.audit.stack_sampler import Stack, frames_of
from tbprof.model.run_time import RunPart
from tbprof.program.caller_frame import RELAY, TORCH, current_import_folders, name_below

_WORDS: tuple[tuple[RunPart, re.Pattern[str]], ...] = (
    (
        "checkpoint",
        re.compile(r"(?:^|_)(?:save|write|dump)_(?:\w+_)?(?:checkpoint|ckpt|model|pretrained|state|weights)"),
    ),
    ("checkpoint", re.compile(r"(?:checkpoint|ckpt)_save|^save$|^checkpointing$")),
    ("evaluation", re.compile(r"(?:^|_)(?:eval|evaluate|evaluation|val|valid|validate|validation)(?:_|$)")),
    ("evaluation", re.compile(r"^test$")),
)
"""Names of functions that are not torch's, and of phases."""

_FILES: tuple[tuple[RunPart, tuple[str, ...]], ...] = (
    ("checkpoint", ("serialization.py", "distributed/checkpoint/")),
    ("compile", ("_dynamo/convert_frame.py", "_inductor/compile_fx.py", "_inductor/graph.py")),
    ("compile", ("_inductor/scheduler.py", "_inductor/codecache.py", "_inductor/async_compile.py")),
    ("data", ("utils/data/dataloader.py",)),
)
"""Files of torch, and folders."""

_ORDER: tuple[RunPart, ...] = ("checkpoint", "evaluation", "compile", "data")
"""What counts where a stack has several: an evaluation loads data, too."""

_MOST_KNOWN = 4096


def part_of_name(name: str) -> RunPart | None:
    """The part that the name of a function or a phase says; None of any other name."""
    return next((part for part, words in _WORDS if words.search(name)), None)


class PausePlaces:
    """Says of stacks what they belong to; what runs around each step says nothing."""

    def __init__(self) -> None:
        self._around: set[CodeType] = set()
        self._known: dict[CodeType, RunPart | None] = {}

    def note_step(self) -> None:
        """What calls this runs around the training's steps, whatever its name."""
        frame = sys._getframe().f_back
        while frame is not None:
            self._around.add(frame.f_code)
            frame = frame.f_back
        if len(self._around) > _MOST_KNOWN:
            self._around.clear()

    def part(self, stack: Stack) -> RunPart | None:
        """None where nothing on it says."""
        found = {self._of(code) for code, _ in frames_of(stack) if code not in self._around}
        return next((part for part in _ORDER if part in found), None)

    def _of(self, code: CodeType) -> RunPart | None:
        if code not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[code] = _part_of_code(code)
        return self._known[code]


def place_of(stack: Stack) -> str:
    """The innermost line of the program's own, else of a library that is not torch's; "" without any."""
    # Not as the audit asks, which keeps what Python imports from at its own time.
    frames, folders = list(frames_of(stack)), current_import_folders()
    for is_wanted in (is_own_file, is_users_file):
        for code, line in frames:
            if code.co_name != RELAY and is_wanted(code.co_filename):
                return f"{name_below(folders, code.co_filename)}:{line} {code.co_name}"
    return ""


def _part_of_code(code: CodeType) -> RunPart | None:
    file = code.co_filename
    if not file.startswith(TORCH):
        return part_of_name(code.co_name)
    if code.co_name == "<module>":
        # To import the compiler is not to compile.
        return None
    below = file.removeprefix(TORCH).replace(os.sep, "/")
    if below == "serialization.py" and "load" in code.co_name:
        return None
    return next((part for part, files in _FILES if below.startswith(files)), None)
