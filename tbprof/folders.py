"""Where tbprof is installed, and where it keeps what can be made again."""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import grp
    import pwd

PACKAGE = Path(__file__).parent
"""The folder of this package."""

FORGOTTEN_SECONDS = 24 * 3600
"""Age from which what a process left is taken for abandoned, where nothing says whether it still runs."""

_OTHERS_MAY_WRITE = 0o022
_NO_HOME = "this user has no home: set XDG_CACHE_HOME to a folder to have a cache"
_SAID = "TBPROF_NO_CACHE_SAID"
"""Set once it was said that there is no cache; the processes that are started to read inherit it."""


def cache_folder() -> Path | None:
    """Tbprof's folder in the user's cache, not created here; None where the user has no home.

    `$XDG_CACHE_HOME` decides where it is set, else the custom of the platform. A relative one would mean
    another folder in each process, and is none, as its specification says.
    """
    chosen = os.environ.get("XDG_CACHE_HOME")
    if chosen and Path(chosen).is_absolute():
        return Path(chosen) / "tbprof"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if not home.is_absolute():
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(home))) / "tbprof" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tbprof"
    return home / ".cache" / "tbprof"


def private_cache_folder(name: str) -> Path | None:
    """A folder of the cache, made if need be; None if it can't be made or trusted, which is said once.

    What lies in it would be believed, and removed when there is too much. So it is not used where somebody
    else could have put another folder in its place, at any level of its path.
    """
    base = cache_folder()
    why_not = _NO_HOME if base is None else _why_not(base, name)
    if base is None or why_not:
        _say_once(why_not)
        return None
    return base / name


def _why_not(base: Path, name: str) -> str:
    """Why there is no such folder; "" where there is."""
    try:
        base.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        base.mkdir(mode=0o700, exist_ok=True)
        _close_to_others(base)
        (base / name).mkdir(mode=0o700, exist_ok=True)
        return next(_doubts(base / name), "")
    except OSError as error:
        return f"{base / name} can't be made ({error.strerror})"


def _say_once(why: str) -> None:
    if _SAID not in os.environ:
        import logging

        os.environ[_SAID] = "1"
        logging.getLogger("tbprof").warning("tbprof: nothing is kept for the next time: %s", why)


def _close_to_others(folder: Path) -> None:
    """An earlier version made it as the umask has it: what others may do there ends.

    Raises:
        OSError: It can't be changed.
    """
    status = folder.lstat()
    is_own = os.name != "nt" and stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if is_own and status.st_mode & _OTHERS_MAY_WRITE:
        folder.chmod(0o700)


def _doubts(folder: Path) -> Iterator[str]:
    """Why the folder may be another than the user's own."""
    if os.name == "nt":
        return
    for own in (folder.parent, folder):
        status = own.lstat()
        if not stat.S_ISDIR(status.st_mode):
            yield f"{own} is a link or no folder"
        elif status.st_uid != os.geteuid():
            yield f"{own} belongs to another user"
        elif status.st_mode & _OTHERS_MAY_WRITE:
            yield f"others may write to {own}"
    # As it is written and as it leads: a link on the way is in a folder that counts, too.
    for level in {*folder.parent.parents, *Path(os.path.realpath(folder.parent)).parents}:
        status = level.lstat()
        if status.st_uid not in (0, os.geteuid()):
            yield f"{level}, which it lies in, belongs to another user"
        elif not stat.S_ISLNK(status.st_mode) and _others_may_replace(status):
            yield f"others may write to {level}, which it lies in"


def _others_may_replace(status: os.stat_result) -> bool:
    """Whether others may put something else in place of what lies in a folder."""
    if status.st_mode & stat.S_ISVTX:
        return False
    by_group = status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid)
    return bool(status.st_mode & stat.S_IWOTH or by_group)


@functools.cache
def _is_own_group(group: int) -> bool:
    """Whether nobody but the user is in it: many systems give each user a group, and it may write."""
    if sys.platform == "win32":
        return True
    else:  # noqa: RET505 - mypy takes what follows a plain `if` for unreachable
        try:
            user = pwd.getpwuid(os.geteuid())
            known = grp.getgrgid(group)
        except KeyError:
            return False
        return (
            known.gr_gid == user.pw_gid
            and known.gr_name == user.pw_name
            and not {*known.gr_mem} - {user.pw_name}
        )
