"""What a process frees stays its own: to give memory back and take it again costs more than to keep it.

A report makes and drops thousands of arrays of 0.1 to 30 MB. glibc returns each to the system, until it has
learned better, and every page that comes back is cleared by the kernel and faulted in anew: a twentieth of
a report's CPU time. The limits here are those that glibc would reach by itself (`mallopt(3)`).
"""

from __future__ import annotations

import sys

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
"""As `malloc.h` numbers them."""


def keep_freed_memory() -> None:
    """For a process that ends soon; without effect where the C library has no such settings."""
    if sys.platform != "linux":
        return
    # numpy imports it as well.
    import ctypes

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, 32 << 20)
        set_option(_TRIM_THRESHOLD, 256 << 20)
        set_option(_TOP_PAD, 4 << 20)
