"""The windows beneath a log directory: published ones, and traces that anything else wrote.

A request is answered from this listing alone: what it names is looked up here and never
becomes part of a path. Links that lead out of the log directory are listed with that reason
and not followed, unless the server was asked to and its own user made them.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, is_
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.file_names import (
    CLASSIC_SUFFIX,
    MEMORY_STEP_SUFFIX,
    OUT_OF_MEMORY_SUFFIX,
    REPORT_SUFFIX,
    RUN_TIME_SUFFIX,
)
from tbprof.model import SkippedFile, Window
from tbprof.process.garbage import searching_seldom
from tbprof.remote.placeholders import is_mirrored
from tbprof.safe_open import FileState, file_state
from tbprof.store.window_files import packed_copies, windows_of
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.importers.sniffing import TRACE_SUFFIXES, claims_to_be_trace
from tbprof.window_names import dated_reports, split_window_name

_LINK_LEAVES = "link_leaves_logdir"
_NO_PERMISSION = "no_permission"
_NAME_NOT_TEXT = "name_not_text"
_NAME_NOT_EXPECTED = "name_not_expected"
_PACKED_COPY = "packed_copy"

_ENDINGS = (REPORT_SUFFIX, *TRACE_SUFFIXES)

_OF_MEMORY = (OUT_OF_MEMORY_SUFFIX, MEMORY_STEP_SUFFIX)

_NAME = attrgetter("name")
_ORDER = attrgetter("worker", "order_ns", "window")

_CLOCK_TICK_NS = 2_000_000_000
"""File systems tell times to 2 s at worst: what was changed since may change again and look the same."""

_TRUSTED_S = 30.0
"""A folder is looked into once more after so long, whatever its time says: mounts of object stores may give
it none that changes, and a file that is written again in its place changes none."""

_GROWS_NS = 3600 * 1_000_000_000
"""A trace that was written to within this time may still grow, which its folder does not show."""


@dataclass(frozen=True, slots=True)
class MemoryFolder:
    """One in which the hook left files of memory."""

    run: str
    path: str
    newest_ns: int
    """The time when the newest of these files was written."""


@dataclass(frozen=True, slots=True)
class Listing:
    windows: tuple[Window, ...]
    """The windows by run, worker and time."""
    skipped: tuple[SkippedFile, ...]
    of_memory: tuple[MemoryFolder, ...] = ()
    """The memory files by run, with windows and without: a training may fail before its first one."""

    def without_windows(self) -> tuple[MemoryFolder, ...]:
        """The memory files of runs that have no window."""
        with_windows = {window.run for window in self.windows} if self.of_memory else set()
        return tuple(folder for folder in self.of_memory if folder.run not in with_windows)


def nothing_to_read(folder: Path) -> UsageError:
    """What is said of a folder in which nothing was found."""
    return UsageError(f"there is no trace or report to read in {folder}: name another folder")


@dataclass(frozen=True, slots=True)
class _Folder:
    """What a folder held when it was last looked at."""

    state: FileState
    """Changes when a file comes, goes or gets another name."""
    is_settled: bool
    """Whether it holds nothing that changes beneath an unchanged state."""
    inner: tuple[tuple[str, str], ...]
    """Path and run of each folder to enter, the last first."""
    windows: tuple[Window, ...]
    skipped: tuple[SkippedFile, ...]
    of_memory: MemoryFolder | None = None


@dataclass(slots=True)
class Discovery:
    """Finds windows again and again: what did not change since is neither listed nor opened again."""

    logdir: Path
    looks_like_trace: Callable[[str], bool]
    """Whether a file's first bytes are those of a trace."""
    follow_links: bool = False
    _heads: dict[tuple[str, FileState], bool] = field(default_factory=dict)
    _folders: dict[str, _Folder] = field(default_factory=dict)
    _looked_s: dict[str, float] = field(default_factory=dict)
    """When each of these folders was last looked into."""
    _listing: Listing = Listing((), ())
    """The listing of these folders."""

    def find(self) -> Listing:
        """Walk the log directory; what can't be read is skipped with its reason."""
        with searching_seldom():
            return self._find()

    def _find(self) -> Listing:
        found: dict[str, tuple[str, _Folder]] = {}
        pending = [(str(self.logdir), ".")]
        # Links may lead in circles, and to a folder from two sides.
        entered = {_real(self.logdir)}
        while pending:
            path, run = pending.pop()
            if self.follow_links and found and not _enter(Path(path), entered):
                continue
            folder = self._folder(path, run)
            found[path] = run, folder
            pending += folder.inner
        folders = {path: folder for path, (_, folder) in found.items()}
        if list(folders) == list(self._folders) and all(map(is_, folders.values(), self._folders.values())):
            return self._listing
        self._folders = folders
        self._looked_s = {path: self._looked_s[path] for path in folders if path in self._looked_s}
        by_run = sorted(found.values(), key=lambda entry: entry[0])
        windows = tuple(itertools.chain.from_iterable(folder.windows for _, folder in by_run))
        skipped = tuple(file for folder in folders.values() for file in folder.skipped)
        of_memory = tuple(folder.of_memory for _, folder in by_run if folder.of_memory is not None)
        self._listing = Listing(windows, skipped, of_memory)
        return self._listing

    def _folder(self, path: str, run: str) -> _Folder:
        now_ns, now_s = time.time_ns(), time.monotonic()
        try:
            status = os.stat(path)  # noqa: PTH116 - a Path takes ten times as long
            state = file_state(status)
            known = self._folders.get(path)
            is_trusted = now_s - self._looked_s.get(path, now_s) < _TRUSTED_S
            if known is not None and known.is_settled and known.state == state and is_trusted:
                return known
            with os.scandir(path) as entries:
                listed = sorted(entries, key=_NAME)
        except FileNotFoundError:
            return _Folder((), False, (), (), ())
        except OSError:
            return _Folder((), False, (), (), (SkippedFile(path, _NO_PERMISSION),))
        look = _Look(self, path, run, settled_before_ns=now_ns - _GROWS_NS)
        look.at(listed)
        is_settled = look.is_settled and status.st_mtime_ns < now_ns - _CLOCK_TICK_NS
        inner, windows = tuple(reversed(look.inner)), look.windows()
        found = _Folder(state, is_settled, inner, windows, tuple(look.skipped), look.of_memory())
        self._looked_s[path] = now_s
        # What is the same is not listed again.
        return known if known == found else found

    def is_recorded(self, path: str, status: os.stat_result) -> bool:
        """Whether a file is a trace, and no copy of one for another viewer; asked once for each change."""
        if is_mirrored(path):
            # Only what its name says is one has a placeholder, and to open that takes a request.
            return True
        key = path, file_state(status)
        if key not in self._heads:
            may_be_copy = path.endswith(CLASSIC_SUFFIX)
            self._heads[key] = not is_classic_copy(path) if may_be_copy else self.looks_like_trace(path)
        return self._heads[key]

    def leads_out(self, path: Path) -> bool:
        """Whether a link leaves the log directory and may not."""
        return not _is_within(path, self.logdir) and not (self.follow_links and _own_link(path))


class _Look:
    """One look into a folder, entry by entry in the order of their names."""

    def __init__(self, discovery: Discovery, folder: str, run: str, *, settled_before_ns: int) -> None:
        self.inner: list[tuple[str, str]] = []
        self.skipped: list[SkippedFile] = []
        self.is_settled = True
        self._discovery = discovery
        self._folder = folder
        self._run = run
        self._settled_before_ns = settled_before_ns
        self._reports: list[tuple[str, int, str, str]] = []
        """Reports whose names tell their times: worker, time, name and path, in this order."""
        # Each other file as the window that it would be alone, and its stem.
        self._windows: list[Window] = []
        self._stems: list[str] = []
        self._of_memory: list[str] = []

    def at(self, entries: Sequence[os.DirEntry[str]]) -> None:
        self._reports, others = dated_reports(entries)
        for entry in others:
            name = entry.name
            if name[0] == ".":
                continue
            try:
                is_plain = entry.is_file(follow_symlinks=False) and name.isascii()
            except OSError:
                # Some network file systems tell what an entry is when they are asked, or fail to.
                self._skip(entry.path, _NO_PERMISSION)
                continue
            if not is_plain:
                self._unusual(entry)
            elif name.endswith(_OF_MEMORY):
                self._of_memory.append(name)
            elif name.endswith(_ENDINGS) and not name.endswith(RUN_TIME_SUFFIX):
                self._file(entry)

    def of_memory(self) -> MemoryFolder | None:
        """Whether the hook left files of memory there; None where it did not."""
        times = [int(time) for name in self._of_memory if (time := name.split(".")[-3]).isdecimal()]
        return MemoryFolder(self._run, self._folder, max(times)) if times else None

    def _unusual(self, entry: os.DirEntry[str]) -> None:
        """A link, a folder, or what has letters in its name that may be no letters."""
        is_link, is_folder = entry.is_symlink(), _is_folder(entry)
        if not is_folder and not entry.name.endswith(_ENDINGS):
            return
        if not _is_text(entry.name):
            # No page could ask for it: an address holds UTF-8 only.
            self._skip(entry.path, _NAME_NOT_EXPECTED if _is_utf8(entry.name) else _NAME_NOT_TEXT)
        elif is_link and self._discovery.leads_out(Path(entry.path)):
            self._skip(entry.path, _LINK_LEAVES)
        elif is_folder:
            self._enter(entry, is_link=is_link)
        else:
            self.is_settled &= not is_link
            self._file(entry)

    def _skip(self, path: str, reason: str) -> None:
        self.is_settled = False
        self.skipped.append(SkippedFile(path, reason))

    def _enter(self, entry: os.DirEntry[str], *, is_link: bool) -> None:
        self.is_settled &= not is_link
        follows = self._discovery.follow_links
        # A folder linked to from beside it would show its windows twice.
        if is_link and (not follows or _is_within(Path(entry.path), self._discovery.logdir)):
            return
        self.inner.append((entry.path, entry.name if self._run == "." else f"{self._run}/{entry.name}"))

    def _file(self, entry: os.DirEntry[str]) -> None:
        name = entry.name
        stem, worker, time_ns = split_window_name(name)
        try:
            status = entry.stat()
            order_ns = status.st_mtime_ns if time_ns is None else time_ns
            if name.endswith(REPORT_SUFFIX):
                self._add(stem, Window(self._run, worker, name, order_ns, None, entry.path, 0))
            elif self._is_trace(entry, status):
                path, size = entry.path, status.st_size
                self._add(stem, Window(self._run, worker, name, order_ns, path, None, size))
        except FileNotFoundError:
            return
        except OSError:
            self._skip(entry.path, _NO_PERMISSION)

    def _is_trace(self, entry: os.DirEntry[str], status: os.stat_result) -> bool:
        self.is_settled &= status.st_mtime_ns < self._settled_before_ns
        # One whose name claims it is opened though damaged, and says what is wrong with it.
        claims = claims_to_be_trace(entry.name) and not entry.name.endswith(CLASSIC_SUFFIX)
        return claims or self._discovery.is_recorded(entry.path, status)

    def _add(self, stem: str, window: Window) -> None:
        self._stems.append(stem)
        self._windows.append(window)

    def windows(self) -> tuple[Window, ...]:
        """The windows by worker and time; one for a trace and its report."""
        run = self._run
        reports = [
            Window(run, worker, name, time_ns, None, path, 0) for worker, time_ns, name, path in self._reports
        ]
        return tuple(reports) if not self._windows else tuple(sorted(self._joined(reports), key=_ORDER))

    def _joined(self, reports: list[Window]) -> Iterable[Window]:
        found = self._windows + reports
        stems = self._stems + [window.window.removesuffix(REPORT_SUFFIX) for window in reports]
        if len(set(stems)) == len(stems):
            return found
        by_stem: dict[str, list[Window]] = {}
        for stem, window in zip(stems, found, strict=True):
            by_stem.setdefault(stem, []).append(window)
        return itertools.chain.from_iterable(itertools.starmap(self._joined_files, by_stem.items()))

    def _joined_files(self, stem: str, files: list[Window]) -> Sequence[Window]:
        copies = packed_copies(files)
        self.skipped += [SkippedFile(path, _PACKED_COPY) for path in copies]
        return windows_of(stem, [file for file in files if file.trace_path not in copies])


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link to itself.
        return False


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_utf8(name: str) -> bool:
    """Whether the bytes of a name are, which is no text where Python expects another encoding."""
    try:
        os.fsencode(name).decode()
    except UnicodeError:
        return False
    return True


def _real(path: Path) -> Path:
    # Unlike `Path.resolve`, this never raises: of a link to itself it gives the link.
    return Path(os.path.realpath(path))


def _is_within(path: Path, folder: Path) -> bool:
    return _real(path).is_relative_to(_real(folder))


def _enter(folder: Path, entered: set[Path]) -> bool:
    """Whether a folder is entered for the first time."""
    real = _real(folder)
    is_new = real not in entered
    entered.add(real)
    return is_new


def _own_link(path: Path) -> bool:
    return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()
