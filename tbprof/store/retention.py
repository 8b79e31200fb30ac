"""What a run keeps: the newest windows of each worker, and so many bytes in all.

Only files that tbprof wrote are counted and removed. What is largest for what it tells goes first:
copies for the standard tab, which can be made again, then raw traces, snapshots and followed steps of
memory, reports, and last where memory ran out; always the oldest, and never those of the newest window, nor
the newest file of a kind that has no window. A run that holds a file `tbprof.pin` keeps everything.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from tbprof.file_names import (
    CLASSIC_SUFFIX,
    MEMORY_STEP_SNAPSHOT_SUFFIX,
    MEMORY_STEP_SUFFIX,
    OUT_OF_MEMORY_SNAPSHOT_SUFFIX,
    OUT_OF_MEMORY_SUFFIX,
    PIN_NAME,
    RAW_SUFFIX,
    REPORT_SUFFIX,
)
from tbprof.records import dataclass
from tbprof.window_names import parse_window_name


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a run is kept."""

    windows: int
    """Windows of each worker that keep their raw trace and followed step; reports of older ones stay.

    As many files of each other kind are kept of each worker.
    """
    bytes: int
    """The most bytes of all published files of the run together."""


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    worker: str
    time_ns: int
    size_bytes: int


def keep_within(limits: Limits, run_folder: Path) -> None:
    """Remove what is too much; files that another process removes meanwhile are no fault.

    Raises:
        OSError: The folder can't be read.
    """
    if (run_folder / PIN_NAME).exists():
        return
    classic, traces, snapshots, steps, reports, failures = kinds = _kinds(run_folder)
    windows = (*classic, *traces, *reports)
    old = _older_than_newest(limits.windows, (*traces, *reports))
    outdated = {
        file for file in (*classic, *traces, *snapshots, *steps) if (file.worker, file.time_ns) in old
    }
    for kind in (snapshots, steps, failures):
        too_many = _older_than_newest(limits.windows, kind)
        outdated |= {file for file in kind if (file.worker, file.time_ns) in too_many}
    for file in outdated:
        file.path.unlink(missing_ok=True)
    newest = {file for kind in (windows, snapshots, steps, failures) for file in _newest(kind)}
    left = [file for kind in kinds for file in kind if file not in outdated]
    _remove_down_to(limits.bytes, left, newest)


def _kinds(run_folder: Path) -> tuple[list[_File], ...]:
    """In the order in which they go."""
    return (
        list(_files(run_folder / CLASSIC_FOLDER, CLASSIC_SUFFIX)),
        list(_files(run_folder, RAW_SUFFIX)),
        [
            *_memory_files(run_folder, OUT_OF_MEMORY_SNAPSHOT_SUFFIX),
            *_memory_files(run_folder, MEMORY_STEP_SNAPSHOT_SUFFIX),
        ],
        list(_memory_files(run_folder, MEMORY_STEP_SUFFIX)),
        list(_files(run_folder, REPORT_SUFFIX)),
        list(_memory_files(run_folder, OUT_OF_MEMORY_SUFFIX)),
    )


def _files(folder: Path, suffix: str) -> Iterator[_File]:
    """The files of that suffix that the hook published, oldest first; their names hold a time."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        name = parse_window_name(path.name)
        with contextlib.suppress(FileNotFoundError):
            if name.time_ns is not None and _is_published(path, name.stem):
                found.append(_File(path, name.worker, name.time_ns, path.stat().st_size))
    return iter(sorted(found, key=lambda file: file.time_ns))


def _memory_files(folder: Path, suffix: str) -> Iterator[_File]:
    """What the hook left of memory, oldest first; nobody else writes such names."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        worker, _, digits = path.name.removesuffix(suffix).rpartition(".")
        with contextlib.suppress(FileNotFoundError):
            if worker and digits.isdecimal():
                found.append(_File(path, worker, int(digits), path.stat().st_size))
    return iter(sorted(found, key=lambda file: file.time_ns))


def _is_published(path: Path, stem: str) -> bool:
    """Whether it is a window's: traces that torch's own handler put into the run have no report."""
    run_folder = path.parent.parent if path.parent.name == CLASSIC_FOLDER else path.parent
    return (run_folder / f"{stem}{REPORT_SUFFIX}").exists()


def _older_than_newest(number: int, files: Iterable[_File]) -> set[tuple[str, int]]:
    times: dict[str, set[int]] = defaultdict(set)
    for file in files:
        times[file.worker].add(file.time_ns)
    return {(worker, time) for worker, all_ in times.items() for time in sorted(all_)[:-number]}


def _newest(files: Iterable[_File]) -> list[_File]:
    """The files of the latest time."""
    known = list(files)
    latest = max((file.time_ns for file in known), default=0)
    return [file for file in known if file.time_ns == latest]


def _remove_down_to(limit_bytes: int, files: list[_File], newest: Container[_File]) -> None:
    excess = sum(file.size_bytes for file in files) - limit_bytes
    for file in files:
        if excess <= 0:
            return
        if file not in newest:
            file.path.unlink(missing_ok=True)
            excess -= file.size_bytes


CLASSIC_FOLDER = "classic"
