"""A remote folder is listed, and its traces and reports get placeholders in a folder of this machine."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from tbprof.file_names import CLASSIC_SUFFIX, REPORT_SUFFIX
from tbprof.model import SkippedFile
from tbprof.records import dataclass
from tbprof.remote.address import parent_and_name
from tbprof.remote.placeholders import Placeholder, mirror_folder, time_of, write_placeholder
from tbprof.remote.store import RemoteFile, Store
from tbprof.trace.importers.sniffing import TRACE_SUFFIXES, claims_to_be_trace
from tbprof.window_names import parse_window_name

MOST_FILES = 100_000
"""Traces and reports of one remote folder; each placeholder takes a block of the disk."""

_LONGEST_NAME = 255
_DEEPEST = 32
_CLASSIC_FOLDER = "classic"
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f]|[\\:*?"<>|]' if os.name == "nt" else r"[\x00-\x1f\x7f]")

_UNUSABLE = "its name can't be one of a file: rename it"
_TOO_MANY = f"only {MOST_FILES:,} of its traces and reports are listed: name a folder in it"

_WRITTEN_S = 60
_FORGOTTEN_S = 30 * 24 * 3600
_MIRROR = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Mirrored:
    folder: Path
    """Or the file, where the address names one."""
    skipped: tuple[SkippedFile, ...]


def mirror(address: str) -> Mirrored:
    """List a remote folder and make its mirror, here and now, what the store says that it is.

    Raises:
        RemoteError: The address can't be read.
        Busy: It can't be reached now.
    """
    # Somebody waits, and asks again.
    store = Store(address, tries=1)
    files = list(store.listed())
    if len(files) == 1 and not files[0].path:
        return _of_file(store.address, files[0])
    folder = mirror_folder(store.address)
    _forget_old(folder.parent)
    skipped: list[SkippedFile] = []
    wanted: dict[str, Placeholder] = {}
    for file in _traces_and_reports(files):
        if len(wanted) >= MOST_FILES:
            skipped.append(SkippedFile(store.address, _TOO_MANY))
            break
        if not _is_usable(file.path):
            skipped.append(SkippedFile(f"{store.address}/{file.path}", _UNUSABLE))
            continue
        placeholder = Placeholder(store.address, file.path, file.version, file.size_bytes, file.modified_ns)
        wanted[file.path] = placeholder
    _remove_others(folder, wanted)
    skipped += [SkippedFile(f"{store.address}/{path}", _UNUSABLE) for path in _put(folder, wanted)]
    return Mirrored(folder, tuple(skipped))


def _of_file(address: str, file: RemoteFile) -> Mirrored:
    """Alone, whatever its name: somebody named it."""
    parent, name = parent_and_name(address)
    folder = mirror_folder(address, holds=parent)
    placeholder = Placeholder(parent, name, file.version, file.size_bytes, file.modified_ns)
    _put(folder, {name: placeholder})
    return Mirrored(folder / name, ())


def _traces_and_reports(files: list[RemoteFile]) -> Iterator[RemoteFile]:
    """Traces by their names, and by those of the reports beside them: to look into a file takes a request
    each.
    """
    published = {_stem(file.path) for file in files if file.path.endswith(REPORT_SUFFIX)}
    for file in files:
        name = file.path.rpartition("/")[2]
        if f"/{file.path}".find("/.") >= 0:
            continue
        is_trace = name.endswith(TRACE_SUFFIXES) and (
            claims_to_be_trace(name) or _stem(file.path) in published
        )
        if name.endswith(REPORT_SUFFIX) or (is_trace and not _is_classic_copy(file.path, published)):
            yield file


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/{parse_window_name(name).stem}"


def _is_classic_copy(path: str, published: set[str]) -> bool:
    """Whether it is the copy for the standard tab of a window that has a report."""
    folder, _, name = path.rpartition("/")
    if folder.rpartition("/")[2] != _CLASSIC_FOLDER or not name.endswith(CLASSIC_SUFFIX):
        return False
    return _stem(f"{folder.rpartition('/')[0]}/{name}") in published


def _is_usable(path: str) -> bool:
    """Whether a name, which anybody may have given, is one that can't lead out of the mirror."""
    parts = path.split("/")
    return len(parts) <= _DEEPEST and all(
        part not in ("", ".", "..")
        and not _FORBIDDEN.search(part)
        and len(part.encode(errors="surrogatepass")) <= _LONGEST_NAME
        for part in parts
    )


def _remove_others(folder: Path, wanted: dict[str, Placeholder]) -> None:
    """What is no more there, and folders that hold nothing any more."""
    for place, inner, names in os.walk(folder, topdown=False):
        run = Path(place).relative_to(folder).as_posix()
        for name in names:
            if (name if run == "." else f"{run}/{name}") not in wanted:
                with contextlib.suppress(OSError):
                    _remove(Path(place, name))
        for name in inner:
            with contextlib.suppress(OSError):
                Path(place, name).rmdir()


def _remove(path: Path) -> None:
    # Another process may be writing it.
    if not path.name.startswith(".") or time.time() - path.lstat().st_mtime > _WRITTEN_S:
        path.unlink()


def _put(folder: Path, wanted: dict[str, Placeholder]) -> list[str]:
    """Write those that are not there in this version; the paths of those that can't be written."""
    failed = []
    for place, of_place in itertools.groupby(sorted(wanted), key=lambda path: path.rpartition("/")[0]):
        there = _times_in(folder / place)
        for path in of_place:
            placeholder = wanted[path]
            if there.get(path.rpartition("/")[2]) == time_of(placeholder):
                continue
            try:
                (folder / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_placeholder(folder / path, placeholder)
            except (OSError, ValueError):
                # Two names may be one file here, and a name that of a folder as well.
                failed.append(path)
    return failed


def _times_in(folder: Path) -> dict[str, int]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat(follow_symlinks=False).st_mtime_ns for entry in entries}
    except OSError:
        return {}


def _forget_old(base: Path) -> None:
    """Mirrors that nobody asked for in a month."""
    with contextlib.suppress(OSError):
        for folder in base.iterdir():
            if _MIRROR.fullmatch(folder.name) and time.time() - folder.lstat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(folder, ignore_errors=True)
