"""Outboxes: folders of this machine in which published windows wait until a remote folder has them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tbprof.errors import Busy
from tbprof.process.beside import within
from tbprof.remote.store import Store

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 15.0
_LEAST_ANSWER_S = 5.0
"""For one request, however little time is left."""


def outbox_of(base: Path, address: str) -> Path:
    """Where windows wait for an address; `base` is the folder of the user's spools."""
    return base / "outbox" / hashlib.sha256(address.encode(errors="surrogatepass")).hexdigest()[:16]


def make_outbox(outbox: Path) -> None:
    """Make it for its user alone.

    Raises:
        OSError: It can't be made, or somebody else has.
    """
    outbox.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in (outbox.parent, outbox):
        folder.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "getuid") and folder.lstat().st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to another user")


def waiting_files(outbox: Path) -> list[Path]:
    """What waits there whole, reports first: a viewer never starts to read a trace that has a report."""
    found = [path for path in outbox.rglob("*") if not path.name.startswith(".") and path.is_file()]
    return sorted(found, key=lambda path: (not path.name.endswith(".pb"), path))


def send(
    outbox: Path, address: str, *, patience_s: float, on_delay: Callable[[str], None] = lambda _: None
) -> int:
    """Write all that waits to its remote folder, and remove what has arrived; how many files that were.

    What can't be written now is tried again, for so many seconds in all, those that a store takes which does
    not answer among them. Of several processes that send the same file each writes the same, whole.

    Args:
        outbox: where the files wait.
        address: where they go.
        patience_s: for all of them.
        on_delay: is given the reason, a sentence, each time that one can't be written now.

    Raises:
        RemoteError: The address can't be written to. What has not arrived stays.
        Busy: It could not be reached for so long. The same.
    """
    store, deadline = Store(address, tries=1), time.monotonic() + patience_s
    sent = 0
    for path in waiting_files(outbox):
        pause_s = _FIRST_PAUSE_S
        while (delay := _delay(store, outbox, path, deadline)) is not None:
            if time.monotonic() + pause_s > deadline:
                raise delay
            on_delay(str(delay))
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        with contextlib.suppress(OSError):
            path.unlink()
        sent += 1
    return sent


def _delay(store: Store, outbox: Path, path: Path, deadline: float) -> Busy | None:
    """Why a file has not arrived; None where it has."""
    try:
        # How long a request without an answer lasts is each package's own choice, and up to minutes.
        within(max(deadline - time.monotonic(), _LEAST_ANSWER_S), partial(_write, store, outbox, path))
    except Busy as busy:
        return busy
    except TimeoutError:
        return Busy(f"{store.address} does not answer: check the network, and try again")
    return None


def _write(store: Store, outbox: Path, path: Path) -> None:
    # Another process that sends may have been faster.
    if path.exists():
        store.write(path, path.relative_to(outbox).as_posix())
