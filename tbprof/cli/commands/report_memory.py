"""What `tbprof report` prints of files that are no windows: those of memory, also in folders, and of runs."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from tbprof.cli.output_file import tell
from tbprof.cli.reading import OtherKind
from tbprof.cli.run_time_text import run_time_json, run_time_text
from tbprof.errors import UsageError
from tbprof.escaping import json_text, plain
from tbprof.model import MemoryStep, OutOfMemory
from tbprof.snapshot import DeviceSnapshot, FailedAllocation, Snapshot, read_snapshot
from tbprof.store.discovery import MemoryFolder
from tbprof.store.memory_files import MEMORY_STEP_FILE, OUT_OF_MEMORY_FILE, MemoryFile, memory_files_in
from tbprof.store.run_times import RUN_TIME_FILE
from tbprof.texts.figures.quantities import count, share, size
from tbprof.texts.memory import (
    NO_LINE,
    asked_sentence,
    changes,
    device_name,
    failed_sentence,
    growth_sentence,
    there_sentence,
    unaccounted_bytes,
)
from tbprof.views.run_time import RunTimeView
from tbprof.views.run_time_view import run_time_view

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


_FORMS = ("text", "json")


def other_text(kind: OtherKind, path: Path, options: argparse.Namespace) -> str:
    """All that is said of it.

    Raises:
        UsageError: It can't be read, or what is asked for needs windows.
    """
    what, read, text, json = _KINDS[kind]
    if len(options.paths) > 1 or options.summary or options.fail_on or options.format not in _FORMS:
        raise UsageError(f"{path} {what}: name it alone, with --format text or json")
    return (json if options.format == "json" else text)(read(path))


_MOST_FRAMES = 8


def out_of_memory_json(found: OutOfMemory) -> str:
    """All that is known, as one object."""
    return json_text({"schema": found.schema, "out_of_memory": dataclasses.asdict(found)})


def out_of_memory_text(found: OutOfMemory) -> str:
    """What was asked for, what was there, what held it, and what would free how much."""
    parts = (
        [
            asked_sentence(found),
            there_sentence(found),
            f"The error: {found.message}" if found.message else "",
        ],
        ["Raised at:", *(f"  {frame}" for frame in found.frames[:_MOST_FRAMES])],
        _held(found),
        _largest(found),
        ["What would free memory:", *(f"  - {change}" for change in changes(found))],
    )
    return "\n".join("".join(f"{plain(line)}\n" for line in part if line) for part in parts)


def _held(found: OutOfMemory) -> list[str]:
    held = found.held
    rows = [
        (held.parameters_bytes, "parameters"),
        (held.gradients_bytes, "gradients"),
        (held.optimizer_bytes, "optimizer state"),
        (held.saved_bytes, "saved for the backward pass"),
        (held.other_bytes, "other tensors of the program"),
    ]
    unaccounted = unaccounted_bytes(found)
    if unaccounted is not None:
        rows.append((unaccounted, "the rest, which Python does not know: activations, among others"))
    lines = [f"{size(held_bytes):>12}  {name}" for held_bytes, name in rows]
    known = "" if held.is_whole else ", of the tensors that there was time to look at"
    return [f"What held memory of {device_name(found)}{known}:", *lines]


def _largest(found: OutOfMemory) -> list[str]:
    rows = [
        f"{size(each):>12}  {count(number, 'tensor')} of {name}" for name, number, each in found.held.largest
    ]
    return ["The largest of what is saved, and of the other tensors:", *rows] if rows else []


_MOST_ROWS = 12


def memory_step_json(found: MemoryStep) -> str:
    """All that is known, as one object."""
    return json_text({"schema": found.schema, "memory_step": dataclasses.asdict(found)})


def memory_step_text(found: MemoryStep) -> str:
    """The peak, and what held it by kind, module and line."""
    device = "the CPU" if found.device == "CPU" else found.device
    lines = [
        f"Memory of {device}, followed in one step of {found.worker}, after {count(found.step, 'step')}:"
        f" {size(found.peak_bytes)} of tensors at the peak, in the {found.phase}."
    ]
    lines += ["", "by kind", *_rows(found.kinds, found.peak_bytes)]
    lines += ["", "by module", *_rows(_named(found.modules, "no module"), found.peak_bytes)]
    lines += ["", "by line that allocated", *_rows(_named(found.lines, NO_LINE), found.peak_bytes)]
    if found.cached_at_peak_bytes is not None:
        lines += ["", f"{size(found.cached_at_peak_bytes)} lay unused in torch's cache at the peak."]
    if found.cached_bytes is not None:
        lines += ["", f"{size(found.cached_bytes)} lay unused in torch's cache at the end of the step."]
    if not found.is_whole:
        lines += ["", "Not all of the step could be followed: there was too much of it, or no time."]
    lines += [
        "",
        "Not counted: what libraries allocate inside of one operator, and the rounding of the allocator.",
    ]
    return "".join(f"{plain(line)}\n" for line in lines)


def _named(rows: Iterable[tuple[str, int]], nothing: str) -> Iterator[tuple[str, int]]:
    return ((name or nothing, held) for name, held in rows)


def _rows(rows: Iterable[tuple[str, int]], whole: int) -> Iterator[str]:
    known = sorted((row for row in rows if row[1]), key=lambda row: -row[1])
    for name, held in known[:_MOST_ROWS]:
        yield f"{size(held):>12}  {held / max(whole, 1):>4.0%}  {name}"
    left = sum(held for _, held in known[_MOST_ROWS:])
    if left:
        yield f"{size(left):>12}  {left / max(whole, 1):>4.0%}  others"


_SCHEMA = 1
_MOST_HELD = 20
_EVENTS = {
    "alloc": ("block allocated", "blocks allocated"),
    "segment_alloc": ("segment taken from the driver", "segments taken from the driver"),
    "segment_free": ("segment given back to it", "segments given back to it"),
    "oom": ("allocation failed", "allocations failed"),
}
"""The events of the history that are worth a word, for one and for several."""


def snapshot_json(snapshot: Snapshot) -> str:
    """All that is known, as one object."""
    return json_text({"schema": _SCHEMA, "snapshot": dataclasses.asdict(snapshot)})


def snapshot_text(snapshot: Snapshot) -> str:
    """Device by device: what is allocated, what is free, and the lines that hold most."""
    if not snapshot.devices:
        return f"{plain(snapshot.path)}: nothing is allocated, and no history was recorded.\n"
    return "\n".join("".join(f"{plain(line)}\n" for line in _lines(device)) for device in snapshot.devices)


def _lines(device: DeviceSnapshot) -> list[str]:
    lines = [
        f"GPU {device.device}: {size(device.allocated_bytes)} allocated of {size(device.reserved_bytes)} "
        f"reserved in {count(device.segments, 'segment')}."
    ]
    if device.failed is not None:
        lines.insert(0, f"GPU {device.device}: {_failed(device.failed)}")
    if device.free_bytes:
        lines.append(
            f"Free: {size(device.free_bytes)}, the largest block {size(device.largest_free_bytes)} "
            f"({share(device.largest_free_bytes / device.free_bytes)})."
        )
    if device.awaited_bytes:
        lines.append(f"Given back, and still awaited by a stream: {size(device.awaited_bytes)}.")
    sentence = [
        count(device.events[name], *words) for name, words in _EVENTS.items() if device.events.get(name)
    ]
    if sentence:
        lines.append(f"History: {', '.join(sentence)}.")
    lines += [
        f"{size(one.bytes):>12}  {count(one.blocks, 'block'):>14}  {one.place or 'line not recorded'}"
        for one in device.held[:_MOST_HELD]
    ]
    left = device.held[_MOST_HELD:]
    if left:
        lines.append(f"{size(sum(one.bytes for one in left)):>12}  on {count(len(left), 'more line')}")
    return lines


def _failed(failed: FailedAllocation) -> str:
    return failed_sentence(asked_bytes=failed.asked_bytes, free_bytes=failed.free_bytes, place=failed.place)


_Kind: TypeAlias = tuple[str, Callable[[Path], Any], Callable[[Any], str], Callable[[Any], str]]


def _run_time(path: Path) -> RunTimeView:
    return run_time_view((RUN_TIME_FILE.read(path),))


_KINDS: Mapping[OtherKind, _Kind] = {
    "out_of_memory": (
        "tells of an allocation that failed",
        OUT_OF_MEMORY_FILE.read,
        out_of_memory_text,
        out_of_memory_json,
    ),
    "memory_step": ("tells what held memory", MEMORY_STEP_FILE.read, memory_step_text, memory_step_json),
    "run_time": ("tells where the time of a run went", _run_time, run_time_text, run_time_json),
    "snapshot": ("is a snapshot of torch's allocator", read_snapshot, snapshot_text, snapshot_json),
}
"""What an error says that a file is, how it is read, and how it is printed as text and as JSON."""
