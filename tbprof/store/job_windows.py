"""The windows of a run that belong together: one of every rank, recorded at the same place in line."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable

from tbprof.errors import UsageError
from tbprof.file_names import rank_of
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.remote.placeholders import is_mirrored

if sys.platform != "win32":
    import pwd


@dataclass(frozen=True, slots=True)
class JobWindows:
    windows: tuple[Window, ...]
    """The windows by worker."""
    number: int
    """Their place in line among the windows of their worker, from 1 on."""
    common: int
    """How many every worker has."""
    older: tuple[str, ...]
    """Workers of earlier trainings in the same folder: a later one has their rank."""


def job_windows(windows: Iterable[Window], number: int | None) -> JobWindows:
    """Choose among the windows of a run, at least one, in the order of their time.

    Args:
        windows: All of them.
        number: Which one of every worker; None for the last that all have.

    Raises:
        UsageError: No worker has so many.
    """
    by_worker: dict[str, list[Window]] = {}
    for window in windows:
        by_worker.setdefault(window.worker, []).append(window)
    newest = _newest_of_rank(by_worker)
    lengths = [len(by_worker[worker]) for worker in newest]
    at = min(lengths) if number is None else number
    if at > max(lengths):
        raise UsageError(f"there is no window {at} of this run: its workers have up to {max(lengths)}")
    return JobWindows(
        windows=tuple(by_worker[worker][at - 1] for worker in newest if len(by_worker[worker]) >= at),
        number=at,
        common=min(lengths),
        older=tuple(worker for worker in by_worker if worker not in newest),
    )


def _newest_of_rank(by_worker: dict[str, list[Window]]) -> list[str]:
    """Workers, those whose rank another one had later left out."""
    newest: dict[int, str] = {}
    for worker, windows in by_worker.items():
        rank = rank_of(worker)
        if rank is not None:
            held = newest.get(rank)
            if held is None or windows[-1].order_ns > by_worker[held][-1].order_ns:
                newest[rank] = worker
    return [worker for worker in by_worker if newest.get(_rank(worker), worker) == worker]


def _rank(worker: str) -> int:
    rank = rank_of(worker)
    return -1 if rank is None else rank


def owner_of_run(run: str, path: str) -> str | None:
    """The folder below the log directory that a run lies in, as teams part it; else who owns its file.

    A copy of a log directory has one owner, and keeps its folders.
    """
    folder, slash, _ = run.partition("/")
    return folder if slash and folder not in ("", ".", "..") else owner_of(path)


def owner_of(path: str) -> str | None:
    """The name or number of its user; None where the system knows no owner, no such file, or it is remote."""
    if is_mirrored(path):
        return None
    try:
        user = os.stat(path).st_uid  # noqa: PTH116 - of thousands; a Path takes three times as long
    except OSError:
        return None
    return _name(user)


@functools.cache
def _name(user: int) -> str | None:
    if sys.platform == "win32":
        return None
    else:  # noqa: RET505 - mypy takes what follows a plain `if` for unreachable
        try:
            return pwd.getpwuid(user).pw_name
        except KeyError:
            return str(user)
