"""What a converter is: a module that writes the traces of another profiler as Kineto's."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tbprof.errors import NotATrace
from tbprof.trace.importers import torch_profiler
from tbprof.trace.importers.importer import Importer, Progress
from tbprof.trace.importers.kineto_writer import Converted
from tbprof.trace.importers.source import shown_path

if TYPE_CHECKING:
    from tbprof.trace.columns.columns import Trace
    from tbprof.trace.columns.tables import Tables


class Converter(Importer, Protocol):
    """A module of `tbprof.trace.importers` whose format is read by way of Kineto's."""

    @property
    def LACKS(self) -> str:  # noqa: N802 - a constant of a module
        """What no recording of this profiler has, as a part of a sentence."""

    def convert(self, path: str | os.PathLike[str], folder: Path) -> Sequence[Converted]:
        """Write the trace of each process that used a device into `folder`.

        Raises:
            TraceError: The file gives none; the message says why and what to do.
        """


def read_converted(
    converter: Converter,
    path: str | os.PathLike[str],
    *,
    tables: Tables,
    progress: Progress | None,
    in_parallel: bool,
) -> Trace:
    """See `Importer.read`; for a recording of one process.

    Raises:
        TraceError: It holds none, or several.
    """
    with tempfile.TemporaryDirectory(prefix="tbprof-") as folder:
        converted = converter.convert(path, Path(folder))
        if len(converted) > 1:
            raise NotATrace(
                f"{shown_path(path)} holds {len(converted)} processes: "
                "make a trace of each with tbprof import FILE --logdir LOGS."
            )
        trace = torch_profiler.read(
            converted[0].path, tables=tables, progress=progress, in_parallel=in_parallel
        )
    return replace(trace, path=shown_path(path))
