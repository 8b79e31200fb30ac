"""The log directories that TensorBoard was started on, as one listing."""

from __future__ import annotations

import argparse
import dataclasses
import logging
import threading
import time
from pathlib import Path, PurePosixPath
from typing import TypeVar

from tbprof.model import SkippedFile, Window
from tbprof.plugin.routes.remote_folder import RemoteFolder
from tbprof.remote.address import is_address, local_folder_of
from tbprof.remote.placeholders import addressed
from tbprof.safe_open import confine, release
from tbprof.store.lookup.discovery import Discovery, Listing, MemoryFolder
from tbprof.trace_files import looks_like_trace

logger = logging.getLogger("tbprof")

_FRESH_S = 1.0
"""How long a listing is good for: the tab asks for several things at once."""

_LOOKS_SHARE = 0.05
"""Of the time, looking at a large log directory takes at most so much, however many ask."""

_QUICK_S = 0.05
"""A look that takes no longer is waited for; of a larger log directory what was found before is shown."""

_OLD_S = 30.0
"""Nobody asked for so long: what was found then is not shown while there is hope for better."""

_PATIENCE_S = 1.0

_Found = TypeVar("_Found", Window, MemoryFolder)


class LogDirectory:
    """`--logdir`, or each of `--logdir_spec`; the latter's runs are named as there."""

    def __init__(self, flags: argparse.Namespace) -> None:
        self.name = _name(flags)
        self._follow_links = bool(getattr(flags, "tbprof_follow_links", False))
        self._places = _places(flags)
        self._lock = threading.Lock()
        self._found = Listing((), ())
        self._found_at = float("-inf")
        self._took_s = 0.0
        self._look: threading.Event | None = None
        """Set at the end of the look that is under way."""
        self._indexed = self._found
        self._by_name: dict[tuple[str, str, str], Window] = {}
        self._discoveries: dict[str, Discovery] = {}
        self._remote = {place: RemoteFolder(place) for _, place in self._places if is_address(place)}
        self._numbered: Listing | None = None
        self._number = 0
        self._started = time.time_ns()

    @property
    def is_remote(self) -> bool:
        """Whether some of it is on other hosts, and takes a while to be found."""
        return bool(self._remote)

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of the processes that list remote folders."""
        return tuple(pid for folder in self._remote.values() if (pid := folder.pid) is not None)

    def close(self) -> None:
        """End those processes."""
        for folder in self._remote.values():
            folder.close()

    def listing(self) -> Listing:
        """All windows, as they were a second ago; of a large log directory some seconds ago.

        The first look is waited for, later ones happen aside.
        """
        with self._lock:
            if self._found_at == float("-inf"):
                began = time.monotonic()
                self._take(self._find(), began)
                return self._found
            age_s = time.monotonic() - self._found_at
            if age_s > max(_FRESH_S, self._took_s / _LOOKS_SHARE) and self._look is None:
                self._look = threading.Event()
                threading.Thread(target=self._look_again, args=(self._look,), daemon=True).start()
            look = self._look if self._took_s < _QUICK_S or age_s > _OLD_S else None
        if look is not None:
            look.wait(_PATIENCE_S)
        return self._found

    def version(self) -> str:
        """Another one for another listing, also after the server was started anew."""
        return self.numbered()[1]

    def numbered(self) -> tuple[Listing, str]:
        """The listing with its version."""
        listing = self.listing()
        with self._lock:
            if listing is not self._numbered:
                self._numbered = listing
                self._number += 1
            return listing, f"{self._started}.{self._number}"

    def _look_again(self, look: threading.Event) -> None:
        began = time.monotonic()
        try:
            found = self._find()
            with self._lock:
                self._take(found, began)
        except Exception:
            logger.exception("tbprof could not look at the log directory again")
            with self._lock:
                self._found_at = time.monotonic()
        finally:
            with self._lock:
                self._look = None
            look.set()

    def _take(self, found: Listing, began: float) -> None:
        # Of several places the same windows are made anew each time.
        self._found = found if found != self._found else self._found
        self._found_at = time.monotonic()
        self._took_s = self._found_at - began

    def window(self, run: str, worker: str, window: str) -> Window | None:
        """The window of these names, if there is one; names never become part of a path."""
        listing = self.listing()
        with self._lock:
            if self._indexed is not listing:
                self._indexed = listing
                self._by_name = {(w.run, w.worker, w.window): w for w in reversed(listing.windows)}
            return self._by_name.get((run, worker, window))

    def _find(self) -> Listing:
        if len(self._places) == 1 and _keeps_its_runs(*self._places[0]):
            _, place = self._places[0]
            found = self._discovery(place).find()
            if not found.skipped:
                return found
            in_place = tuple(_in_place(file, Path(place), "") for file in found.skipped)
            return Listing(found.windows, in_place, found.of_memory)
        windows: list[Window] = []
        skipped: list[SkippedFile] = []
        of_memory: list[MemoryFolder] = []
        for name, place in self._places:
            remote = self._remote.get(place)
            listing = self._discovery(place).find() if remote is None else remote.find()
            windows += [_named(window, name) for window in listing.windows]
            of_memory += [_named(folder, name) for folder in listing.of_memory]
            if remote is None:
                skipped += [_in_place(file, Path(place), name) for file in listing.skipped]
            else:
                skipped += [dataclasses.replace(file, path=addressed(file.path)) for file in listing.skipped]
        windows.sort(key=lambda w: (w.run, w.worker, w.order_ns, w.window))
        of_memory.sort(key=lambda folder: folder.run)
        return Listing(tuple(windows), tuple(skipped), tuple(of_memory))

    def _discovery(self, place: str) -> Discovery:
        if place not in self._discoveries:
            # The process that reads traces runs in another folder.
            folder = Path(place).expanduser().absolute()
            release(folder) if self._follow_links else confine(folder)
            self._discoveries[place] = Discovery(folder, looks_like_trace, self._follow_links)
        return self._discoveries[place]


def _in_place(file: SkippedFile, place: Path, name: str) -> SkippedFile:
    """As seen from the log directory: where that is on the server, nobody has to know."""
    folder = place.expanduser().absolute()
    if not Path(file.path).is_relative_to(folder):
        return file
    return dataclasses.replace(
        file, path=(PurePosixPath(name) / Path(file.path).relative_to(folder)).as_posix()
    )


def _name(flags: argparse.Namespace) -> str:
    """As it was given; a folder that is called `.` there has a name of its own."""
    given: str = flags.logdir or flags.logdir_spec or ""
    return str(Path(given).absolute()) if given in (".", "./") else given


def _places(flags: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    """Log directories, each after the name that precedes its runs, "" for none."""
    if flags.logdir:
        return (("", _local(flags.logdir)),)
    return tuple(_place(part) for part in (flags.logdir_spec or "").split(",") if part)


def _place(part: str) -> tuple[str, str]:
    """`name:path` or a path, told apart as TensorBoard does: paths may hold colons, too."""
    name, colon, path = part.partition(":")
    is_path = not colon or part.startswith("/") or is_address(part) or Path(part).drive
    return ("", _local(part)) if is_path else (name, _local(path))


def _local(place: str) -> str:
    """A folder of this machine as a path, however it is named."""
    return local_folder_of(place) or place


def _keeps_its_runs(name: str, place: str) -> bool:
    """Whether a place's own listing is that of the log directory: its runs are named as its folders are."""
    return not name and not is_address(place)


def _named(found: _Found, name: str) -> _Found:
    if not name:
        return found
    run = name if found.run == "." else f"{name}/{found.run}"
    return dataclasses.replace(found, run=run)
