"""How much memory a process may take, so that one file costs one process and not the machine."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

if sys.platform == "linux":
    import resource

_OF_GROUP = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_ADDRESSES = Path("/proc/self/statm")


def limit_memory(more_bytes: int) -> None:
    """Let this process, and each that it starts, have so many bytes more than it has now.

    What needs more ends with a `MemoryError`. A stricter limit stays. Other systems than Linux have none that
    can be relied on.
    """
    if sys.platform != "linux":
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # What counts are addresses, of which libraries take many at once that they never use.
    most = _address_bytes() + more_bytes
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def machine_memory_bytes() -> int | None:
    """The memory of this machine, or of the container that it plays; None where that is not known."""
    known = [_number_in(path) for path in _OF_GROUP]
    with contextlib.suppress(ValueError, OSError, AttributeError):
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min((size for size in known if size is not None), default=None)


def _address_bytes() -> int:
    return int(_ADDRESSES.read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        # No group, or one without a limit: "max".
        return None


def cores() -> int:
    """The cores of the machine that this process may use, where that is known."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
