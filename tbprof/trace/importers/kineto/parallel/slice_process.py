"""Reads one slice of a file: `python -m THIS_MODULE FILE INDEX COUNT` writes a pickled `Piece`."""

from __future__ import annotations

import pickle
import sys

from tbprof.trace.importers.kineto.parallel.file_slice import FileSlice, read_slice


def main() -> None:
    """Read what the arguments name."""
    path, index, count = sys.argv[1:]
    pickle.dump(read_slice(path, FileSlice(int(index), int(count))), sys.stdout.buffer, protocol=5)


if __name__ == "__main__":
    main()
