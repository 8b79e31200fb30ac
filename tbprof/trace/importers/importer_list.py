"""The formats that tbprof reads."""

from __future__ import annotations

from tbprof.trace.importers import torch_profiler
from tbprof.trace.importers.importer import Importer

__all__ = ["IMPORTERS"]

IMPORTERS: tuple[Importer, ...] = (torch_profiler,)
"""The first that knows a file reads it. What none knows is the first one's, which says what is wrong."""
