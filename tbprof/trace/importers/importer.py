"""What an importer is: a module that recognizes the files of one format and reads them to columns."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tbprof.trace.columns.columns import Trace
    from tbprof.trace.columns.tables import Tables


Progress = Callable[[int, int], None]
"""Called again and again with the bytes read and the bytes of the file, both on the disk."""


class Importer(Protocol):
    """A module of `tbprof.trace.importers` that its list names, or the front of a package there."""

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802 - a constant of a module
        """What a file's name must end in to be looked at beneath a log directory."""

    @property
    def CLAIMS(self) -> tuple[str, ...]:  # noqa: N802 - a constant of a module
        """A name that contains one of these is enough: a damaged file is opened, and says what is wrong."""

    def sniff(self, head: bytes) -> bool:
        """Whether a file begins as those of the format do.

        Args:
            head: Its first bytes, unpacked, at most 64 KB.
        """

    def read(
        self, path: str | os.PathLike[str], *, tables: Tables, progress: Progress | None, in_parallel: bool
    ) -> Trace:
        """Read a file, plain or gzip, whole or damaged; what was lost stands in the trace's health.

        Args:
            path: The file.
            tables: Which of the optional tables are wanted.
            progress: To be called while it is read.
            in_parallel: Whether other processes may help.

        Raises:
            TraceError: It gives nothing; the message says why and what to do.
        """
