"""What a run keeps: the newest windows of each worker, and so many bytes in all.

Only files that tbprof published are counted and removed. What can be made again goes first:
copies for the standard tab, then raw traces, then reports; always the oldest, and never
those of the newest window. A run that holds a file `tbprof.pin` keeps everything.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tbprof.file_names import CLASSIC_SUFFIX, RAW_SUFFIX, REPORT_SUFFIX
from tbprof.records import dataclass
from tbprof.store.publishing.classic import CLASSIC_FOLDER
from tbprof.window_names import parse_window_name

__all__ = ["PIN_NAME", "Limits", "keep_within"]

PIN_NAME = "tbprof.pin"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a run is kept."""

    windows: int
    """Windows of each worker that keep their raw trace; reports of older ones stay."""
    bytes: int
    """Of all published files of the run together."""


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
    classic = list(_files(run_folder / CLASSIC_FOLDER, CLASSIC_SUFFIX))
    traces = list(_files(run_folder, RAW_SUFFIX))
    reports = list(_files(run_folder, REPORT_SUFFIX))
    old = _older_than_newest(limits.windows, traces, reports)
    outdated = [file for file in (*classic, *traces) if (file.worker, file.time_ns) in old]
    for file in outdated:
        file.path.unlink(missing_ok=True)
    kept = [[file for file in kind if file not in outdated] for kind in (classic, traces, reports)]
    _remove_down_to(limits.bytes, kept)


def _files(folder: Path, suffix: str) -> Iterator[_File]:
    """The files of that suffix that the hook published, oldest first; their names hold a time."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        name = parse_window_name(path.name)
        with contextlib.suppress(FileNotFoundError):
            if name.time_ns is not None and _is_published(path, name.stem):
                found.append(_File(path, name.worker, name.time_ns, path.stat().st_size))
    return iter(sorted(found, key=lambda file: file.time_ns))


def _is_published(path: Path, stem: str) -> bool:
    """Whether it is a window's: traces that torch's own handler put into the run have no report."""
    run_folder = path.parent.parent if path.parent.name == CLASSIC_FOLDER else path.parent
    return (run_folder / f"{stem}{REPORT_SUFFIX}").exists()


def _older_than_newest(windows: int, traces: list[_File], reports: list[_File]) -> set[tuple[str, int]]:
    times: dict[str, set[int]] = defaultdict(set)
    for file in (*traces, *reports):
        times[file.worker].add(file.time_ns)
    return {(worker, time) for worker, all_ in times.items() for time in sorted(all_)[:-windows]}


def _remove_down_to(limit_bytes: int, kinds: list[list[_File]]) -> None:
    excess = sum(file.size_bytes for kind in kinds for file in kind) - limit_bytes
    newest = max((file.time_ns for kind in kinds for file in kind), default=0)
    for file in (file for kind in kinds for file in kind):
        if excess <= 0:
            return
        if file.time_ns < newest:
            file.path.unlink(missing_ok=True)
            excess -= file.size_bytes
