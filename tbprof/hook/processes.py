"""Names of processes that stay true when the system gives a process number away again."""

from __future__ import annotations

import os
import re
import socket
import zlib
from pathlib import Path

from tbprof.file_names import PROCESS_NAME

FIRST_NAME_SPACE = "4026531836"
"""The number space of processes that Linux boots with (PROC_PID_INIT_INO): that of no container."""


def host_name() -> str:
    """The host's name with only letters, digits, underscores and dashes."""
    return re.sub(r"[^\w-]", "-", socket.gethostname())


def process_label() -> str:
    """`<host>_<pid>`, for people; in a container with a mark of it, since many of them have a process 1."""
    label = f"{host_name()}_{os.getpid()}"
    boot, _, numbers = _name_space().partition(".")
    if numbers in ("0", FIRST_NAME_SPACE):
        return label
    return f"{label}-{zlib.crc32(f'{boot}{numbers}'.encode()) & 0xFFFF:04x}"


def process_name(pid: int | None = None) -> str:
    """`<host>-<name space>-<pid>-<start>` of a process of this host, by default of this one.

    Containers may share a host's name, and each has process numbers of its own. `start` is in clock
    ticks since the host's boot, and 0 where the system does not tell.
    """
    number = os.getpid() if pid is None else pid
    return f"{host_name()}-{_name_space()}-{number}-{start_ticks(number) or 0}"


def is_of_this_host(name: str) -> bool:
    """Whether a process ran on this host, in whatever container; in an earlier boot of it as well."""
    match = PROCESS_NAME.fullmatch(name)
    return match is not None and match["host"] == host_name()


def is_running(name: str) -> bool | None:
    """Whether the process of that name runs; None where it can't be known.

    Processes of other hosts and of other containers can't be seen from here, nor can any where there
    is no `/proc` (asking by signal would be wrong on Windows, where signal 0 is Ctrl-C).
    """
    match = PROCESS_NAME.fullmatch(name)
    if match is None or (match["host"], match["space"]) != (host_name(), _name_space()):
        return None
    if not Path("/proc/self/stat").exists():
        return None
    return start_ticks(int(match["pid"])) == int(match["start"])


def _name_space() -> str:
    """`<boot>.<number>`: where and since when a process number means a process; `0.0` where nobody tells."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
        numbers = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))  # noqa: PTH115 - it leads nowhere
    except (OSError, ValueError):
        return "0.0"
    return f"{re.sub('[^0-9a-f]', '0', boot)}.{numbers or 0}"


def start_ticks(pid: int) -> int | None:
    """Field 22 of `/proc/<pid>/stat` (see proc(5)); None for a process that is over."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The second field is a name in parentheses, which may hold spaces and parentheses itself.
    state, *fields = stat.rpartition(b")")[2].split()
    return None if state == b"Z" else int(fields[18])
