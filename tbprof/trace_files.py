"""Which files are traces, for code that lists files and reads none."""

from __future__ import annotations

from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.importers.sniffing import (
    TRACE_SUFFIXES,
    claims_to_be_trace,
    is_of_torch,
    looks_like_trace,
)

__all__ = ["TRACE_SUFFIXES", "claims_to_be_trace", "is_classic_copy", "is_of_torch", "looks_like_trace"]
