"""The windows beneath a log directory: published ones, and traces that anything else wrote.

A request is answered from this listing alone: what it names is looked up here and never
becomes part of a path. Links that lead out of the log directory are listed with that reason
and not followed, unless the server was told to and its own user made them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tbprof.file_names import CLASSIC_SUFFIX, REPORT_SUFFIX, parse_window_name
from tbprof.model import SkippedFile, Window
from tbprof.trace_files import TRACE_SUFFIXES, claims_to_be_trace, is_classic_copy

__all__ = ["Discovery", "Listing"]

_LINK_LEAVES = "link_leaves_logdir"
_NO_PERMISSION = "no_permission"
_NAME_NOT_TEXT = "name_not_text"


@dataclass(frozen=True, slots=True)
class Listing:
    windows: tuple[Window, ...]
    """By run, worker and time."""
    skipped: tuple[SkippedFile, ...]


@dataclass(slots=True)
class Discovery:
    """Finds windows again and again; heads of files are looked at once for each change."""

    logdir: Path
    looks_like_trace: Callable[[str], bool]
    """Whether a file's first bytes are those of a trace."""
    follow_links: bool = False
    _heads: dict[tuple[str, int, int], bool] = field(default_factory=dict)

    def find(self) -> Listing:
        """Walk the log directory; what can't be read is skipped with its reason."""
        skipped: list[SkippedFile] = []
        found: dict[tuple[str, str], dict[str, Path]] = {}
        for path in self._files(skipped):
            kind = self._kind(path, skipped)
            if kind is not None:
                run = path.parent.relative_to(self.logdir).as_posix()
                stem = parse_window_name(path.name).stem
                found.setdefault((run, stem), {})[kind] = path
        windows = [window for (run, _), paths in found.items() if (window := _window(run, paths))]
        windows.sort(key=lambda w: (w.run, w.worker, w.order_ns, w.window))
        return Listing(tuple(windows), tuple(skipped))

    def _files(self, skipped: list[SkippedFile]) -> Iterator[Path]:
        def unreadable(error: OSError) -> None:
            skipped.append(SkippedFile(str(error.filename), _NO_PERMISSION))

        # Links may lead in circles, and to a folder from two sides.
        entered = {_real(self.logdir)}
        for folder, folders, files in os.walk(self.logdir, onerror=unreadable, followlinks=self.follow_links):
            here = Path(folder)
            folders[:] = sorted(name for name in folders if self._stays(here / name, skipped))
            if self.follow_links:
                folders[:] = [name for name in folders if _enter(here / name, entered)]
            for name in sorted(files):
                path = here / name
                if name.endswith((REPORT_SUFFIX, *TRACE_SUFFIXES)) and self._stays(path, skipped):
                    yield path

    def _stays(self, path: Path, skipped: list[SkippedFile]) -> bool:
        """Whether a file or folder is really beneath the log directory, or may lead out of it."""
        if path.name.startswith("."):
            return False
        if not _is_text(path.name):
            # No page could ask for it: an address holds UTF-8 only.
            skipped.append(SkippedFile(str(path), _NAME_NOT_TEXT))
            return False
        if not path.is_symlink():
            return True
        inside = _real(path).is_relative_to(_real(self.logdir))
        if inside or (self.follow_links and _own_link(path)):
            # A folder linked to from beside it would show its windows twice.
            return not (inside and path.is_dir())
        skipped.append(SkippedFile(str(path), _LINK_LEAVES))
        return False

    def _kind(self, path: Path, skipped: list[SkippedFile]) -> str | None:
        if path.name.endswith(REPORT_SUFFIX):
            return "report"
        if claims_to_be_trace(path.name) and not path.name.endswith(CLASSIC_SUFFIX):
            # Its name claims it: a damaged one is opened, and says what is wrong with it.
            return "trace"
        try:
            status = path.stat()
            key = (str(path), status.st_size, status.st_mtime_ns)
            if key not in self._heads:
                self._heads[key] = self._is_recorded(path)
        except FileNotFoundError:
            return None
        except OSError:
            skipped.append(SkippedFile(str(path), _NO_PERMISSION))
            return None
        return "trace" if self._heads[key] else None

    def _is_recorded(self, path: Path) -> bool:
        """Whether a file is a trace, and no copy of one for another viewer."""
        if path.name.endswith(CLASSIC_SUFFIX):
            return not is_classic_copy(path)
        return self.looks_like_trace(str(path))


def _window(run: str, paths: dict[str, Path]) -> Window | None:
    trace, report = paths.get("trace"), paths.get("report")
    named = trace or report
    if named is None:
        return None
    try:
        status = named.stat()
    except OSError:
        return None
    name = parse_window_name(named.name)
    return Window(
        run=run,
        worker=name.worker,
        window=named.name,
        order_ns=status.st_mtime_ns if name.time_ns is None else name.time_ns,
        trace_path=None if trace is None else str(trace),
        report_path=None if report is None else str(report),
        size_bytes=0 if trace is None else status.st_size,
    )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _real(path: Path) -> Path:
    # Unlike `Path.resolve`, this never raises: of a link to itself it gives the link.
    return Path(os.path.realpath(path))


def _enter(folder: Path, entered: set[Path]) -> bool:
    """Whether a folder is entered for the first time."""
    real = _real(folder)
    is_new = real not in entered
    entered.add(real)
    return is_new


def _own_link(path: Path) -> bool:
    return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()
