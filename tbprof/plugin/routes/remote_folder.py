"""A remote log directory: listed by a process of its own, now and again, while somebody looks.

Nothing here waits for a store. What is shown is what was found the last time, also by an earlier server.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import Future

from tbprof.errors import Busy, ReadingEnded, ReadingTookTooLong, TbprofError
from tbprof.model import SkippedFile
from tbprof.process.answering import Question
from tbprof.process.worker import Worker
from tbprof.remote.address import checked_address
from tbprof.remote.placeholders import mirror_folder
from tbprof.safe_open import confine
from tbprof.store.lookup.discovery import Discovery, Listing
from tbprof.trace_files import looks_like_trace

_LISTER = "tbprof.remote.mirror.main"
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
