"""How files that others may write to are opened: without waiting, and never led out of the log directory.

Whoever can write to a log directory can put a pipe, a device or a link where a trace was a moment ago. What
was said of a path is worth nothing then; all that is said here is said of the descriptor that is read. Where
something is written, no link is followed, and a new file has a name that nobody can foresee.

The path of a placeholder opens the content of the remote file, read from its store where it is not kept.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import stat
import sys
from pathlib import Path
from typing import IO, BinaryIO, TypeAlias

from tbprof.remote.placeholders import MOST_BYTES, Placeholder, is_mirrored, placeholder_of

if sys.platform != "win32":
    import fcntl

PART_SUFFIX = ".part"
"""Ends the name of a file that is being written; no viewer looks for it."""

CONFINED_VARIABLE = "TBPROF_CONFINED"
"""The folders that nothing beneath may lead out of; the processes that are started to read inherit it."""

FileState: TypeAlias = tuple[int, ...]
"""Device, inode, size, and the times of the last change: of the content, which anybody can set, and of any
kind, which nobody can."""

_END_BYTES = 64 * 1024
_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_AS_IT_IS = getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_TO_WRITE = _WITHOUT_WAITING | os.O_WRONLY | os.O_CREAT | _NO_LINK | _AS_IT_IS
_OWN_MODE = 0o666
"""What the umask leaves of it."""


def confine(folder: Path) -> None:
    """Let a path beneath `folder` open only what lies beneath it from now on, whatever the links on the
    way.
    """
    kept = [known for known in _confined() if known != str(folder)]
    os.environ[CONFINED_VARIABLE] = os.pathsep.join([*kept, str(folder)])


def release(folder: Path) -> None:
    """Links beneath `folder` may lead out of it."""
    os.environ[CONFINED_VARIABLE] = os.pathsep.join(known for known in _confined() if known != str(folder))


def is_confined(folder: Path) -> bool:
    """Whether nothing beneath this very folder may lead out of it."""
    return str(folder.absolute()) in _confined()


def open_regular(path: str | os.PathLike[str], *, follows_links: bool = True) -> io.FileIO:
    """The regular file at `path`, unbuffered.

    Args:
        path: of a file of others.
        follows_links: whether it may be a link to one.

    Raises:
        OSError: There is none, it is not permitted, it is no regular file, or it lies outside the confined
            folder that `path` is beneath; or it is remote, and can't be read.
        Busy: It is remote, and can't be read now.
    """
    if not is_mirrored(path):
        return _open_local(path, 0 if follows_links else _NO_LINK)
    placeholder = _placeholder(path)
    # Only who reads remote files needs what does so.
    from tbprof.remote.placeholders import fetched

    return _open_local(fetched(placeholder))


def _open_local(path: str | os.PathLike[str], flags: int = 0) -> io.FileIO:
    descriptor = os.open(path, _WITHOUT_WAITING | _AS_IT_IS | flags)
    try:
        _require_regular(descriptor)
        _check_place(str(Path(path).absolute()), descriptor)
        return io.FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def open_new(path: str | os.PathLike[str]) -> BinaryIO:
    """Make a file to write to, which nobody who cleans up takes away before it is closed.

    Raises:
        FileExistsError: Something has that name, if only a link that leads nowhere.
        OSError: It can't be made.
    """
    while True:
        file = Path(path).open("xb")  # noqa: SIM115 - the caller closes it; to make one follows no link
        with contextlib.suppress(OSError):
            lock(file)
        # Before it was locked, somebody who cleans up may have removed it.
        if os.fstat(file.fileno()).st_nlink > 0:
            return file
        file.close()


def lock(file: IO[bytes], *, wait: bool = True) -> None:
    """Hold the file until it is closed.

    Raises:
        BlockingIOError: another process holds it, and we would have to wait.
        OSError: its file system knows no locks.
    """
    # Windows lets nobody remove a file that is open.
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def name_aside(path: Path) -> Path:
    """Where what is to be at `path` is written first: in the same folder, under a name of no file."""
    return path.with_name(f".{os.urandom(8).hex()}{PART_SUFFIX}")


def replace_whole(path: Path, data: bytes) -> None:
    """Put these bytes at `path`; they are there whole, or not at all. To be on disk they may take longer.

    Raises:
        OSError: as the file system has it; what was there stays.
    """
    aside = name_aside(path)
    try:
        with open_new(aside) as file:
            file.write(data)
        aside.replace(path)
    except BaseException:
        # What went wrong first is what the caller must hear of.
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def add_line(path: Path, line: str) -> None:
    """Add a line to a file of lines, made if need be.

    Raises:
        OSError: It can't be written to, is a link, or is no regular file.
    """
    descriptor = os.open(path, _TO_WRITE | os.O_APPEND, _OWN_MODE)
    try:
        _require_regular(descriptor)
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def status_of_regular(path: str | os.PathLike[str]) -> os.stat_result:
    """What the system says of the very file that `open_regular` opens.

    Raises:
        OSError: as there.
    """
    with open_regular(path) as file:
        return os.fstat(file.fileno())


def content_within(path: str | os.PathLike[str], most_bytes: int, *, follows_links: bool = True) -> bytes:
    """All of a file that may grow while it is read.

    Raises:
        OSError: as there, or it is larger.
    """
    with io.BufferedReader(open_regular(path, follows_links=follows_links)) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def file_state(status: os.stat_result) -> FileState:
    """What tells, without reading a file, that it was written to, replaced or moved."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def identity_of(path: str | os.PathLike[str]) -> tuple[int | str, ...]:
    """What a file is, under any of its names: one that was changed, and given back size and time, is another.

    Raises:
        OSError: as there.
    """
    if is_mirrored(path):
        placeholder = _placeholder(path)
        return placeholder.address, placeholder.path, placeholder.version, placeholder.size_bytes
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        digest = _digest_of_ends(file, status.st_size)
    # The ends alone do not tell of a change in the middle. A move is taken for a change, too.
    return *file_state(status), digest


def content_of(path: str | os.PathLike[str]) -> tuple[int, str]:
    """What a file holds, wherever and since whenever it lies: its size, and a digest of both ends.

    Raises:
        OSError: as there.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        return size, _digest_of_ends(file, size)


def content_at_hand(path: str | os.PathLike[str]) -> tuple[int, str | None]:
    """The same of what is on this machine; of a remote file that was not read yet, its size alone.

    Raises:
        OSError: as there.
    """
    if not is_mirrored(path):
        return content_of(path)
    from tbprof.remote import placeholders

    placeholder = _placeholder(path)
    kept = placeholders.content_at_hand(placeholder)
    return (placeholder.size_bytes, None) if kept is None else content_of(kept)


def _require_regular(descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def _placeholder(path: str | os.PathLike[str]) -> Placeholder:
    with _open_local(path) as file:
        data = file.read(MOST_BYTES)
    try:
        return placeholder_of(data)
    except (ValueError, TypeError) as error:
        raise OSError(errno.EINVAL, "it is no placeholder of a remote file") from error


def _digest_of_ends(file: io.FileIO, size: int) -> str:
    begin = file.read(_END_BYTES)
    # A gzip file ends with the checksum of all that it holds.
    file.seek(max(0, size - _END_BYTES))
    return hashlib.sha256(begin + file.read(_END_BYTES)).hexdigest()


def _check_place(path: str, descriptor: int) -> None:
    for folder in _confined():
        if path.startswith(folder.rstrip(os.sep) + os.sep):
            real = os.path.realpath(folder).rstrip(os.sep) + os.sep
            if not _place_of(descriptor, path).startswith(real):
                raise OSError(errno.ELOOP, "a link leads out of the log directory")


def _place_of(descriptor: int, path: str) -> str:
    """Where an open file lies, by its descriptor where the system can tell, else by its path."""
    if sys.platform == "linux":
        return str(Path(f"/proc/self/fd/{descriptor}").readlink())
    elif sys.platform == "darwin":  # noqa: RET505 - mypy takes what follows a plain `if` for unreachable
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    else:
        return os.path.realpath(path)


def _confined() -> list[str]:
    return [folder for folder in os.environ.get(CONFINED_VARIABLE, "").split(os.pathsep) if folder]
