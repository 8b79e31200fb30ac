"""Names of processes that stay true when the system gives a process number away again."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

__all__ = ["host_name", "is_running", "process_name"]

_NAME = re.compile(r"(?P<host>.+)-(?P<pid>\d+)-(?P<start>\d+)")


def host_name() -> str:
    """The host's name with only letters, digits, underscores and dashes."""
    return re.sub(r"[^\w-]", "-", socket.gethostname())


def process_name(pid: int | None = None) -> str:
    """`<host>-<pid>-<start>` of a process of this host, by default of this one.

    `start` is in clock ticks since the host's boot, and 0 where the system does not tell.
    """
    number = os.getpid() if pid is None else pid
    return f"{host_name()}-{number}-{_start_ticks(number) or 0}"


def is_running(name: str) -> bool | None:
    """Whether the process of that name runs; None where it can't be known.

    Processes of other hosts can't be seen from here, nor can any where there is no
    `/proc` (asking by signal would be wrong on Windows, where signal 0 is Ctrl-C).
    """
    match = _NAME.fullmatch(name)
    if match is None or match["host"] != host_name() or not Path("/proc/self/stat").exists():
        return None
    return _start_ticks(int(match["pid"])) == int(match["start"])


def _start_ticks(pid: int) -> int | None:
    """Field 22 of `/proc/<pid>/stat` (see proc(5)); None for a process that is over."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The second field is a name in parentheses, which may hold spaces and parentheses itself.
    state, *fields = stat.rpartition(b")")[2].split()
    return None if state == b"Z" else int(fields[18])
