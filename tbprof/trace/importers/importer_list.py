"""All formats that can be read, each by its importer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.trace.importers import nsight_systems, rocprofv3, torch_profiler

if TYPE_CHECKING:
    from tbprof.trace.importers.converter import Converter
from tbprof.trace.importers.importer import Importer

IMPORTERS: tuple[Importer, ...] = (torch_profiler, nsight_systems, rocprofv3)
"""The first that knows a file reads it. What none knows is the first one's, which says what is wrong."""

CONVERTERS: tuple[Converter, ...] = (nsight_systems, rocprofv3)
"""Importers whose files have to be written as Kineto's before another viewer can read them."""
