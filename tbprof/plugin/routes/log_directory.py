"""The log directories that TensorBoard was started on, as one listing.

A remote log directory: listed by a process of its own, now and again, while somebody looks.

Nothing here waits for a store. What is shown is what was found the last time, also by an earlier server.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path, PurePosixPath
from typing import TypeVar

from tbprof.errors import Busy, Gone, ReadingEnded, ReadingTookTooLong, TbprofError
from tbprof.model import SkippedFile, Window
from tbprof.process.answering import Question
from tbprof.process.worker import Worker
from tbprof.remote.address import checked_address, is_address, local_folder_of
from tbprof.remote.placeholders import addressed, mirror_folder
from tbprof.safe_open import confine, release
from tbprof.session_file import Session, session_beside
from tbprof.store.discovery import Discovery, Listing, MemoryFolder
from tbprof.trace.importers.sniffing import looks_like_trace

logger = logging.getLogger("tbprof")

_FRESH_S = 1.0
"""How long a listing is good for: the tab asks for several things at once."""

_LOOKS_SHARE = 0.05
"""The share of the time that looking at a large log directory takes at most, however many ask."""

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

    def session(self) -> Session | None:
        """The notes beside it, or in the folder around it; None where there are none, or several places."""
        places = [Path(place) for _, place in self._places if not is_address(place)]
        return session_beside(places[0]) if len(places) == 1 else None

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
        """Another one for another listing, also after the server was started again."""
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
        # Of several places the same windows are made again each time.
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


def requested_window(logs: LogDirectory, parameters: Mapping[str, str], prefix: str = "") -> Window:
    """Look a window up by the parameters `run`, `worker` and `window`, each after `prefix`.

    Raises:
        Gone: There is no such window.
    """
    names = [parameters.get(prefix + name, "") for name in ("run", "worker", "window")]
    window = logs.window(*names)
    if window is None:
        raise Gone("there is no such window in the log directory: it may have been deleted")
    return window


def _in_place(file: SkippedFile, place: Path, name: str) -> SkippedFile:
    """The path as seen from the log directory: where that is on the server, nobody has to know."""
    folder = place.expanduser().absolute()
    if not Path(file.path).is_relative_to(folder):
        return file
    return dataclasses.replace(
        file, path=(PurePosixPath(name) / Path(file.path).relative_to(folder)).as_posix()
    )


def _name(flags: argparse.Namespace) -> str:
    """The name as it was given; a folder that is called `.` there has a name of its own."""
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


_LISTER = "tbprof.store.mirror_process"
"""Never imported here: it holds what speaks to stores."""

_DEADLINE_S = 300.0
"""For one listing: a million names take some three minutes."""

_EVERY_S = 20.0
_SHARE = 10
"""A listing takes at most so small a part of the time, as each page of it costs money."""

_BEING_LISTED = "being_listed"
_TOO_LARGE = "too_large_to_list"


class RemoteFolder:
    """Asked by one thread at a time."""

    def __init__(self, address: str) -> None:
        """Nothing is started or asked yet."""
        self._address = address
        self._worker = Worker(_LISTER, lambda *_: None)
        self._answer: Future[bytes] | None = None
        self._asked_at = float("-inf")
        self._next_at = float("-inf")
        self._left_out: tuple[SkippedFile, ...] = (SkippedFile(address, _BEING_LISTED),)
        self._discovery: Discovery | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process that lists; None where none runs."""
        return self._worker.pid

    def find(self) -> Listing:
        """What is known of it; and have it listed, where that is long ago."""
        try:
            discovery = self._found()
            self._take()
            self._ask()
        except TbprofError as error:
            return Listing((), (SkippedFile(self._address, str(error)),))
        found = discovery.find()
        return Listing(found.windows, (*self._left_out, *found.skipped)) if self._left_out else found

    def close(self) -> None:
        """End the process that lists."""
        self._worker.close()

    def _found(self) -> Discovery:
        """Where placeholders of what was listed are found; what is installed meanwhile is used."""
        address = checked_address(self._address)
        if self._discovery is None:
            folder = mirror_folder(address)
            confine(folder)
            self._discovery = Discovery(folder, looks_like_trace)
        return self._discovery

    def _ask(self) -> None:
        if self._answer is None and time.monotonic() >= self._next_at:
            self._asked_at = time.monotonic()
            self._answer = self._worker.ask(Question(self._address, "list", {}), deadline_s=_DEADLINE_S)

    def _take(self) -> None:
        """Note what the process has found, or why it has not."""
        if self._answer is None or not self._answer.done():
            return
        answer, self._answer = self._answer, None
        now = time.monotonic()
        self._next_at = now + max(_EVERY_S, _SHARE * (now - self._asked_at))
        try:
            named = json.loads(answer.result())
        except (ReadingEnded, ReadingTookTooLong):
            self._left_out = (SkippedFile(self._address, _TOO_LARGE),)
        except Busy as error:
            self._next_at = now + _EVERY_S
            self._left_out = (SkippedFile(self._address, str(error)),)
        except TbprofError as error:
            self._left_out = (SkippedFile(self._address, str(error)),)
        else:
            self._left_out = tuple(SkippedFile(path, reason) for path, reason in named)
