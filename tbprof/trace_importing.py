"""Traces of other profilers on their way into a log directory, for code that brings them in."""

from __future__ import annotations

import os

from tbprof.trace.export.inspection import Inspection, digest_of, inspect_trace
from tbprof.trace.importers.converter import Converter
from tbprof.trace.importers.importer_list import CONVERTERS
from tbprof.trace.importers.kineto_writer import Converted
from tbprof.trace.importers.sniffing import importer_of

__all__ = ["Converted", "Converter", "Inspection", "converter_of", "digest_of", "inspect_trace"]


def converter_of(path: str | os.PathLike[str]) -> Converter | None:
    """Who writes the file as Kineto's traces; None where torch's profiler wrote it, or nobody knows it."""
    importer = importer_of(path)
    return next((converter for converter in CONVERTERS if converter is importer), None)
