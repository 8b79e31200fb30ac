"""Kernels that use tensor or matrix cores and whose name torch-tb-profiler does not know.

A name that bears a mark of a later generation gets one of the pieces appended that it looks for.
"""

from __future__ import annotations

from tbprof.trace.columns.tensor_cores import KNOWN_TO_CLASSIC, LATER

_MARK = " [hmma]"


def classic_kernel_name(name: str) -> str:
    """The name under which the plugin counts the kernel correctly."""
    if LATER.search(name) is None or KNOWN_TO_CLASSIC.search(name) is not None:
        return name
    return name + _MARK
