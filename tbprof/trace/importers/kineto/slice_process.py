"""Reads one slice of a file: `python -m THIS_MODULE FILE INDEX COUNT [TABLE ...]` pickles a `Piece`."""

from __future__ import annotations

import pickle
import sys

from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.importers.kineto.file_slice import FileSlice, read_slice


def main() -> None:
    """Read what the arguments name."""
    path, index, count, *names = sys.argv[1:]
    tables = frozenset(table for table in ALL_TABLES if table in names)
    piece = read_slice(path, FileSlice(int(index), int(count)), tables)
    pickle.dump(piece, sys.stdout.buffer, protocol=5)


if __name__ == "__main__":
    main()
