"""What `tbprof report` prints of the files of memory in folders that it was given."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tbprof.cli.memory_text import memory_step_text, out_of_memory_text
from tbprof.cli.output_file import tell
from tbprof.errors import UsageError
from tbprof.escaping import json_text
from tbprof.store.discovery import MemoryFolder
from tbprof.store.memory_files import MEMORY_STEP_FILE, OUT_OF_MEMORY_FILE, MemoryFile, memory_files_in
from tbprof.texts.memory import growth_sentence

_MOST_FILES = 4
"""Ranks of a job fail together, and one tells what the others do."""


def memory_texts(folders: Iterable[MemoryFolder], *, has_windows: bool) -> Iterator[str]:
    """Where memory ran out, and the steps that were followed: beside windows the newest is named alone."""
    found = memory_files_in(Path(folder.path) for folder in folders)
    steps = [file for file in found if file.kind == "memory_step"]
    files = [file for file in found if file.kind == "out_of_memory"] + ([] if has_windows else steps)
    for file in files[:_MOST_FILES]:
        try:
            yield f"{file.path}\n{_text(file)}"
        except UsageError as error:
            tell(str(error))
    if files[_MOST_FILES:]:
        yield "".join(f"{file.path}: tbprof report prints it\n" for file in files[_MOST_FILES:])
    grows = _growth(steps)
    if grows:
        yield f"{grows}\n"
    if steps and has_windows:
        yield f"What held memory in a step, by kind, module and line: tbprof report {steps[0].path}\n"


def memory_json(folders: Iterable[MemoryFolder]) -> str:
    """Where memory ran out, as a list."""
    found = []
    for file in memory_files_in(Path(folder.path) for folder in folders):
        if file.kind == "out_of_memory":
            try:
                found.append(dataclasses.asdict(OUT_OF_MEMORY_FILE.read(file.path)))
            except UsageError as error:
                tell(str(error))
    return json_text(found).rstrip("\n")


def _growth(files: list[MemoryFile]) -> str:
    """The growth of the process that followed the newest step."""
    found = []
    for file in files:
        # What is damaged is named where it is to be shown.
        with suppress(UsageError):
            found.append(MEMORY_STEP_FILE.read(file.path))
    steps = [one for one in found if (one.worker, one.device) == (found[0].worker, found[0].device)]
    return growth_sentence(sorted(steps, key=lambda one: one.step))


def _text(file: MemoryFile) -> str:
    if file.kind == "out_of_memory":
        return out_of_memory_text(OUT_OF_MEMORY_FILE.read(file.path))
    return memory_step_text(MEMORY_STEP_FILE.read(file.path))
